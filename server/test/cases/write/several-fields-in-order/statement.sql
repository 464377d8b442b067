insert into "public"."author" as "o:1" ("name") values ($1::text) returning to_json((
  select "o:3"
  from (
    select "t2"."id" as "id"
    from (
      select "o:1".*
    ) as "t2"
  ) as "o:3"
)), 0
-- $1 = "Cy"

with "changed" as (update "public"."author" as "o:1" set "visits" = "o:1"."visits" + $1::int4 where "o:1"."name" = $2::text returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:4"
  from (
    select "t3"."name" as "name", "t3"."visits" as "visits"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "1"
-- $2 = "Cy"

with "changed" as (delete from "public"."author" as "o:1" where "o:1"."name" = $1::text returning "o:1".*) select (
  select count(*)
  from "changed"
), 0
-- $1 = "Cy"
