with "changed" as (update "public"."author" as "o:1" set "visits" = "o:1"."visits" + $1::int4 where "o:1"."id" = $2::int4 returning "o:1".*) select (
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
-- $2 = "1"

with "changed" as (update "public"."author" as "o:1" set "name" = $1::text where "o:1"."visits" > $2::int4 returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:4"
  from (
    select "t3"."name" as "name", "t3"."visits" as "visits"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "Busy"
-- $2 = "20"
