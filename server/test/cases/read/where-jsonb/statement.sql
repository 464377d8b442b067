select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."article" as "t1"
    where "t1"."meta" @> $1::jsonb
  ) as "o:2"
)), array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id"
    from "public"."article" as "t3"
    where "t3"."meta" <@ $2::jsonb
  ) as "o:4"
)), array_to_json(array(
  select "o:6"
  from (
    select "t5"."id" as "id"
    from "public"."article" as "t5"
    where "t5"."meta" ? $3::text
    order by "t5"."id"
  ) as "o:6"
)), array_to_json(array(
  select "o:8"
  from (
    select "t7"."id" as "id"
    from "public"."article" as "t7"
    where "t7"."meta" ?| $4::text[]
  ) as "o:8"
)), array_to_json(array(
  select "o:10"
  from (
    select "t9"."id" as "id"
    from "public"."article" as "t9"
    where "t9"."meta" ?& $5::text[]
  ) as "o:10"
)), array_to_json(array(
  select "o:12"
  from (
    select "t11"."id" as "id"
    from "public"."article" as "t11"
    where "t11"."meta" = $6::jsonb
  ) as "o:12"
)), array_to_json(array(
  select "o:14"
  from (
    select "t13"."id" as "id"
    from "public"."article" as "t13"
    where "t13"."meta"::text like $7::text
  ) as "o:14"
))
-- $1 = "{\"a\":{\"b\":[20]}}"
-- $2 = "[1,2,3]"
-- $3 = "kind"
-- $4 = ["a","x"]
-- $5 = ["a","kind"]
-- $6 = "{\"kind\":\"note\"}"
-- $7 = "%essay%"
