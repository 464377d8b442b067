with "changed" as (delete from "public"."article" as "o:1" where "o:1"."id" = $1::int4 returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, to_json((
  select "o:4"
  from (
    select "t3"."title" as "title"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "1"

with "changed" as (delete from "public"."article" as "o:1" where "o:1"."id" = $1::int4 returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, to_json((
  select "o:4"
  from (
    select "t3"."title" as "title"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "99"
