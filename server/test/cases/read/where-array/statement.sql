select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."article" as "t1"
    where "t1"."tags" @> $1::_text
    order by "t1"."id"
  ) as "o:2"
)), array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id"
    from "public"."article" as "t3"
    where "t3"."tags" <@ $2::_text
    order by "t3"."id"
  ) as "o:4"
)), array_to_json(array(
  select "o:6"
  from (
    select "t5"."id" as "id"
    from "public"."article" as "t5"
    where "t5"."tags" = $3::_text
  ) as "o:6"
)), array_to_json(array(
  select "o:8"
  from (
    select "t7"."id" as "id"
    from "public"."article" as "t7"
    where "t7"."scores" = $4::_int4
  ) as "o:8"
)), array_to_json(array(
  select "o:10"
  from (
    select "t9"."id" as "id"
    from "public"."article" as "t9"
    where "t9"."scores" = any (
      select item.value::_int4
      from unnest($5::text[]) as item (value)
    )
    order by "t9"."id"
  ) as "o:10"
)), array_to_json(array(
  select "o:12"
  from (
    select "t11"."id" as "id"
    from "public"."article" as "t11"
    where "t11"."scores" > $6::_int4
    order by "t11"."id"
  ) as "o:12"
))
-- $1 = ["math"]
-- $2 = ["math","history"]
-- $3 = ["history","a b"]
-- $4 = []
-- $5 = ["{\"3\",\"1\"}","{\"1\",\"2\",\"3\"}"]
-- $6 = ["2"]
