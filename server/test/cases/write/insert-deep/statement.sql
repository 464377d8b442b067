insert into "public"."author" as "o:1" ("name") values ($1::text) returning false, "o:1"::text, "o:1"."id"::text
-- $1 = "Cy"

insert into "public"."detail" as "o:1" ("id", "phone") values ($1::int4, $2::text) returning false, "o:1"::text
-- $1 = "3"
-- $2 = "2"

insert into "public"."article" as "o:1" ("title", "author_id") values ($1::text, $2::int4) returning false, "o:1"::text
-- $1 = "y"
-- $2 = "3"

insert into "public"."article" as "o:1" ("title", "author_id") values ($1::text, $2::int4) returning false, "o:1"::text
-- $1 = "x"
-- $2 = "3"

select to_json((
  select "o:10"
  from (
    select "t3"."title" as "title", "o:9" as "author"
    from (
      select "t1"."title", "t1"."author_id", row_number() over () as "o:2"
      from unnest((
        select $1::"public"."article"[]
      )) as "t1"
    ) as "t3"
    left join lateral (
      select "t4"."name" as "name", "o:6" as "detail", array(
        select "o:8"
        from (
          select "t7"."title" as "title"
          from "public"."article" as "t7"
          where "t7"."author_id" = "t4"."id"
          order by "t7"."title"
        ) as "o:8"
      ) as "articles"
      from "public"."author" as "t4"
      left join lateral (
        select "t5"."phone" as "phone"
        from "public"."detail" as "t5"
        where "t5"."id" = "t4"."id"
      ) as "o:6" on true
      where "t4"."id" = "t3"."author_id"
    ) as "o:9" on true
    order by "t3"."o:2"
  ) as "o:10"
))
-- $1 = ["(5,x,3,f,1)"]
