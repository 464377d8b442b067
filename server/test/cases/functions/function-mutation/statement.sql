select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id", "t1"."line" as "line"
    from "public"."note"($1::text) as "t1"
  ) as "o:2"
))
-- $1 = "one"

select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id", "t1"."line" as "line"
    from "public"."note"($1::text) as "t1"
  ) as "o:2"
))
-- $1 = "two"
