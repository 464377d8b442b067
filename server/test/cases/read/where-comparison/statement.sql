select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."author" as "t1"
    where "t1"."name" = $1::text
  ) as "o:2"
)), array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id"
    from "public"."author" as "t3"
    where "t3"."name" <> $2::text
    order by "t3"."id"
  ) as "o:4"
)), array_to_json(array(
  select "o:6"
  from (
    select "t5"."id" as "id"
    from "public"."author" as "t5"
    where "t5"."balance" > $3::numeric
    order by "t5"."id"
  ) as "o:6"
)), array_to_json(array(
  select "o:8"
  from (
    select "t7"."id" as "id"
    from "public"."author" as "t7"
    where "t7"."karma" < $4::int8
    order by "t7"."id"
  ) as "o:8"
)), array_to_json(array(
  select "o:10"
  from (
    select "t9"."id" as "id"
    from "public"."author" as "t9"
    where "t9"."born" >= $5::date
    order by "t9"."id"
  ) as "o:10"
)), array_to_json(array(
  select "o:12"
  from (
    select "t11"."id" as "id"
    from "public"."author" as "t11"
    where "t11"."id" <= $6::int4 and "t11"."id" > $7::int4
  ) as "o:12"
)), array_to_json(array(
  select "o:14"
  from (
    select "t13"."id" as "id"
    from "public"."author" as "t13"
    where "t13"."id" = any ($8::int4[])
    order by "t13"."id"
  ) as "o:14"
)), array_to_json(array(
  select "o:16"
  from (
    select "t15"."id" as "id"
    from "public"."author" as "t15"
    where "t15"."id" <> all ($9::int4[])
    order by "t15"."id"
  ) as "o:16"
)), array_to_json(array(
  select "o:18"
  from (
    select "t17"."id" as "id"
    from "public"."author" as "t17"
    where "t17"."id" = any ($10::int4[])
  ) as "o:18"
)), array_to_json(array(
  select "o:20"
  from (
    select "t19"."id" as "id"
    from "public"."author" as "t19"
    where "t19"."id" <> all ($11::int4[])
    order by "t19"."id"
  ) as "o:20"
)), array_to_json(array(
  select "o:22"
  from (
    select "t21"."id" as "id"
    from "public"."author" as "t21"
    where "t21"."email" is null
  ) as "o:22"
)), array_to_json(array(
  select "o:24"
  from (
    select "t23"."id" as "id"
    from "public"."author" as "t23"
    where "t23"."email" is not null
    order by "t23"."id"
  ) as "o:24"
)), array_to_json(array(
  select "o:26"
  from (
    select "t25"."id" as "id"
    from "public"."author" as "t25"
    order by "t25"."id"
  ) as "o:26"
)), array_to_json(array(
  select "o:28"
  from (
    select "t27"."id" as "id"
    from "public"."author" as "t27"
    order by "t27"."id"
  ) as "o:28"
))
-- $1 = "Bob"
-- $2 = "Bob"
-- $3 = "0"
-- $4 = "9007199254740993"
-- $5 = "1970-01-01"
-- $6 = "2"
-- $7 = "1"
-- $8 = ["1","4","99"]
-- $9 = ["1","4"]
-- $10 = []
-- $11 = []
