with "changed" as (update "public"."author" as "o:1" set "name" = $1::text where "o:1"."id" = $2::int4 returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, to_json((
  select "o:4"
  from (
    select "t3"."id" as "id", "t3"."name" as "name"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "Bob"
-- $2 = "2"

with "changed" as (update "public"."author" as "o:1" set "name" = $1::text where "o:1"."id" = $2::int4 returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, to_json((
  select "o:4"
  from (
    select "t3"."id" as "id"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "Bob"
-- $2 = "99"
