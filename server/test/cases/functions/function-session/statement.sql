select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."mine"($1::json) as "t1"
    order by "t1"."id"
  ) as "o:2"
))
-- $1 = "{\"x-service-role\":\"admin\",\"x-service-user-id\":\"2\"}"
