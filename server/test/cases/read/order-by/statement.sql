select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."author" as "t1"
    order by "t1"."email"
  ) as "o:2"
)), array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id"
    from "public"."author" as "t3"
    order by "t3"."email" desc
  ) as "o:4"
)), array_to_json(array(
  select "o:6"
  from (
    select "t5"."id" as "id"
    from "public"."author" as "t5"
    order by "t5"."email" nulls first
  ) as "o:6"
)), array_to_json(array(
  select "o:8"
  from (
    select "t7"."id" as "id"
    from "public"."author" as "t7"
    order by "t7"."email" desc nulls last
  ) as "o:8"
)), array_to_json(array(
  select "o:10"
  from (
    select "t9"."id" as "id", "t9"."active" as "active"
    from "public"."author" as "t9"
    order by "t9"."active" desc nulls last, "t9"."id" desc
  ) as "o:10"
)), array_to_json(array(
  select "o:12"
  from (
    select "t11"."id" as "id", "t11"."status" as "status"
    from "public"."article" as "t11"
    order by "t11"."status" desc, "t11"."id"
  ) as "o:12"
))
