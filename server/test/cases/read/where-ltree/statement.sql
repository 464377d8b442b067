select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."article" as "t1"
    where "t1"."path" operator("public".@>) $1::"public"."ltree"
    order by "t1"."id"
  ) as "o:2"
)), array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id"
    from "public"."article" as "t3"
    where "t3"."path" operator("public".<@) $2::"public"."ltree"
    order by "t3"."id"
  ) as "o:4"
)), array_to_json(array(
  select "o:6"
  from (
    select "t5"."id" as "id"
    from "public"."article" as "t5"
    where "t5"."path" operator("public".~) $3::"public".lquery
    order by "t5"."id"
  ) as "o:6"
)), array_to_json(array(
  select "o:8"
  from (
    select "t7"."id" as "id"
    from "public"."article" as "t7"
    where "t7"."path" operator("public".@) $4::"public".ltxtquery
    order by "t7"."id"
  ) as "o:8"
))
-- $1 = "top.science.math"
-- $2 = "top.science"
-- $3 = "top.*{1}"
-- $4 = "math | hobby"
