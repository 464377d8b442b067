select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."author" as "t1"
    order by "t1"."id"
  ) as "o:2"
)), array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id"
    from "public"."author" as "t3"
    order by "t3"."id"
    limit $1::int8
    offset $2::int8
  ) as "o:4"
)), array_to_json(array(
  select "o:6"
  from (
    select "t5"."id" as "id"
    from "public"."author" as "t5"
    order by "t5"."id"
    limit 1
    offset $3::int8
  ) as "o:6"
)), array_to_json(array(
  select "o:8"
  from (
    select "t7"."id" as "id"
    from "public"."author" as "t7"
    limit 0
  ) as "o:8"
))
-- $1 = "2"
-- $2 = "1"
-- $3 = "2"
