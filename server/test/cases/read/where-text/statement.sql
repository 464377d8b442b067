select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."author" as "t1"
    where "t1"."name" like $1::text
    order by "t1"."id"
  ) as "o:2"
)), array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id"
    from "public"."author" as "t3"
    where "t3"."name" not like $2::text
    order by "t3"."id"
  ) as "o:4"
)), array_to_json(array(
  select "o:6"
  from (
    select "t5"."id" as "id"
    from "public"."author" as "t5"
    where "t5"."name" ilike $3::text
  ) as "o:6"
)), array_to_json(array(
  select "o:8"
  from (
    select "t7"."id" as "id"
    from "public"."author" as "t7"
    where "t7"."name" not ilike $4::text
    order by "t7"."id"
  ) as "o:8"
)), array_to_json(array(
  select "o:10"
  from (
    select "t9"."id" as "id"
    from "public"."author" as "t9"
    where "t9"."name" similar to $5::text
    order by "t9"."id"
  ) as "o:10"
)), array_to_json(array(
  select "o:12"
  from (
    select "t11"."id" as "id"
    from "public"."author" as "t11"
    where "t11"."name" not similar to $6::text
    order by "t11"."id"
  ) as "o:12"
)), array_to_json(array(
  select "o:14"
  from (
    select "t13"."id" as "id"
    from "public"."author" as "t13"
    where "t13"."name" ~ $7::text
    order by "t13"."id"
  ) as "o:14"
)), array_to_json(array(
  select "o:16"
  from (
    select "t15"."id" as "id"
    from "public"."author" as "t15"
    where "t15"."name" !~ $8::text
    order by "t15"."id"
  ) as "o:16"
)), array_to_json(array(
  select "o:18"
  from (
    select "t17"."id" as "id"
    from "public"."author" as "t17"
    where "t17"."name" ~* $9::text
  ) as "o:18"
)), array_to_json(array(
  select "o:20"
  from (
    select "t19"."id" as "id"
    from "public"."author" as "t19"
    where "t19"."name" !~* $10::text
    order by "t19"."id"
  ) as "o:20"
)), array_to_json(array(
  select "o:22"
  from (
    select "t21"."id" as "id"
    from "public"."author" as "t21"
    where "t21"."name" like $11::text
  ) as "o:22"
)), array_to_json(array(
  select "o:24"
  from (
    select "t23"."id" as "id"
    from "public"."author" as "t23"
    where "t23"."name" = $12::text
  ) as "o:24"
)), array_to_json(array(
  select "o:26"
  from (
    select "t25"."id" as "id"
    from "public"."author" as "t25"
    where "t25"."email" operator("public".=) $13::"public"."citext"
  ) as "o:26"
)), array_to_json(array(
  select "o:28"
  from (
    select "t27"."id" as "id"
    from "public"."author" as "t27"
    where "t27"."email" operator("public".~~) $14::"public"."citext"
  ) as "o:28"
))
-- $1 = "%o%"
-- $2 = "%o%"
-- $3 = "D%"
-- $4 = "D%"
-- $5 = "(A|B)%"
-- $6 = "(A|B)%"
-- $7 = "^[A-B]"
-- $8 = "^[A-B]"
-- $9 = "^A"
-- $10 = "^a"
-- $11 = "%\\%l\\_"
-- $12 = "' or true --"
-- $13 = "ADA@example.ORG"
-- $14 = "bob%"
