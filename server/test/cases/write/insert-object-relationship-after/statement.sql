insert into "public"."author" as "o:1" ("name") values ($1::text) returning false, "o:1"::text, "o:1"."id"::text
-- $1 = "Cy"

insert into "public"."detail" as "o:1" ("id", "phone") values ($1::int4, $2::text) returning false, "o:1"::text
-- $1 = "3"
-- $2 = "1"

select to_json((
  select "o:6"
  from (
    select "t3"."name" as "name", "o:5" as "detail"
    from (
      select "t1"."name", "t1"."id", row_number() over () as "o:2"
      from unnest((
        select $1::"public"."author"[]
      )) as "t1"
    ) as "t3"
    left join lateral (
      select "t4"."id" as "id", "t4"."phone" as "phone"
      from "public"."detail" as "t4"
      where "t4"."id" = "t3"."id"
    ) as "o:5" on true
    order by "t3"."o:2"
  ) as "o:6"
))
-- $1 = ["(3,Cy,,,1.5,0,)"]
