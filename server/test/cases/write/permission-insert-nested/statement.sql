insert into "public"."author" as "o:1" ("name", "owner", "score") values ($1::text, $2::int4, $3::numeric) returning (("o:1"."visits" < $4::int4) is not true), "o:1"::text, "o:1"."id"::text
-- $1 = "Cy"
-- $2 = "1"
-- $3 = "7"
-- $4 = "100"

insert into "public"."article" as "o:1" ("title", "author_id") values ($1::text, $2::int4) returning ((exists (
  select
  from "public"."author" as "t2"
  where "t2"."id" = "o:1"."author_id" and "t2"."owner" = $3::int4
)) is not true), "o:1"::text
-- $1 = "x"
-- $2 = "3"
-- $3 = "1"

select to_json((
  select "o:6"
  from (
    select "t3"."title" as "title", "o:5" as "author"
    from (
      select "t1"."title", "t1"."author_id", row_number() over () as "o:2"
      from unnest((
        select $1::"public"."article"[]
      )) as "t1"
    ) as "t3"
    left join lateral (
      select "t4"."name" as "name", "t4"."owner" as "owner"
      from "public"."author" as "t4"
      where "t4"."id" = "t3"."author_id" and "t4"."owner" = $2::int4
    ) as "o:5" on true
    order by "t3"."o:2"
  ) as "o:6"
))
-- $1 = ["(4,x,3,f,1)"]
-- $2 = "1"
