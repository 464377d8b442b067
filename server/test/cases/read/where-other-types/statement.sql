select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."article" as "t1"
    where "t1"."slug" = $1::uuid
  ) as "o:2"
)), array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id"
    from "public"."article" as "t3"
    where "t3"."slug" = any ($2::uuid[])
  ) as "o:4"
)), array_to_json(array(
  select "o:6"
  from (
    select "t5"."id" as "id"
    from "public"."article" as "t5"
    where "t5"."status" = $3::"public"."article_status"
  ) as "o:6"
)), array_to_json(array(
  select "o:8"
  from (
    select "t7"."id" as "id"
    from "public"."article" as "t7"
    where "t7"."status" = any ($4::"public"."article_status"[])
    order by "t7"."id"
  ) as "o:8"
)), array_to_json(array(
  select "o:10"
  from (
    select "t9"."id" as "id"
    from "public"."article" as "t9"
    where "t9"."status" > $5::"public"."article_status"
    order by "t9"."id"
  ) as "o:10"
)), array_to_json(array(
  select "o:12"
  from (
    select "t11"."id" as "id"
    from "public"."article" as "t11"
    where "t11"."at" < $6::time
    order by "t11"."id"
  ) as "o:12"
)), array_to_json(array(
  select "o:14"
  from (
    select "t13"."id" as "id"
    from "public"."article" as "t13"
    where "t13"."published_at" >= $7::timestamptz
    order by "t13"."id"
  ) as "o:14"
)), array_to_json(array(
  select "o:16"
  from (
    select "t15"."id" as "id"
    from "public"."article" as "t15"
    where "t15"."reading" > $8::interval
  ) as "o:16"
)), array_to_json(array(
  select "o:18"
  from (
    select "t17"."id" as "id"
    from "public"."article" as "t17"
    where "t17"."validity" = $9::daterange
  ) as "o:18"
)), array_to_json(array(
  select "o:20"
  from (
    select "t19"."id" as "id"
    from "public"."article" as "t19"
    where "t19"."source" = $10::inet
  ) as "o:20"
)), array_to_json(array(
  select "o:22"
  from (
    select "t21"."id" as "id"
    from "public"."article" as "t21"
    where "t21"."cover" = $11::bytea
  ) as "o:22"
)), array_to_json(array(
  select "o:24"
  from (
    select "t23"."id" as "id"
    from "public"."article" as "t23"
    where "t23"."rating" < $12::float8
  ) as "o:24"
)), array_to_json(array(
  select "o:26"
  from (
    select "t25"."id" as "id"
    from "public"."article" as "t25"
    where "t25"."words" > $13::int4
    order by "t25"."id"
  ) as "o:26"
)), array_to_json(array(
  select "o:28"
  from (
    select "t27"."id" as "id"
    from "public"."author" as "t27"
    where "t27"."active" = false
  ) as "o:28"
))
-- $1 = "00000000-0000-4000-8000-000000000002"
-- $2 = ["00000000-0000-4000-8000-000000000001"]
-- $3 = "review"
-- $4 = ["draft","review"]
-- $5 = "draft"
-- $6 = "12:00"
-- $7 = "2024-01-01T10:00:00Z"
-- $8 = "1 hour"
-- $9 = "[2024-01-01,2024-06-01)"
-- $10 = "192.168.1.5"
-- $11 = "\\x00ff"
-- $12 = "4"
-- $13 = "500"
