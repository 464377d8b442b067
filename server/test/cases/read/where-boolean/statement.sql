select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."author" as "t1"
    where "t1"."active" = true and "t1"."id" > $1::int4
  ) as "o:2"
)), array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id"
    from "public"."author" as "t3"
    where ("t3"."id" = $2::int4 or "t3"."id" = $3::int4)
    order by "t3"."id"
  ) as "o:4"
)), array_to_json(array(
  select "o:6"
  from (
    select "t5"."id" as "id"
    from "public"."author" as "t5"
    where not ("t5"."id" = any ($4::int4[]))
    order by "t5"."id"
  ) as "o:6"
)), array_to_json(array(
  select "o:8"
  from (
    select "t7"."id" as "id"
    from "public"."author" as "t7"
    where not ("t7"."active" = true)
  ) as "o:8"
)), array_to_json(array(
  select "o:10"
  from (
    select "t9"."id" as "id"
    from "public"."author" as "t9"
    order by "t9"."id"
  ) as "o:10"
)), array_to_json(array(
  select "o:12"
  from (
    select "t11"."id" as "id"
    from "public"."author" as "t11"
    where false
  ) as "o:12"
)), array_to_json(array(
  select "o:14"
  from (
    select "t13"."id" as "id"
    from "public"."author" as "t13"
    where (("t13"."id" = $5::int4 and "t13"."active" = false) or not (("t13"."id" < $6::int4 or "t13"."id" = $7::int4)))
  ) as "o:14"
))
-- $1 = "1"
-- $2 = "1"
-- $3 = "2"
-- $4 = ["1","2"]
-- $5 = "1"
-- $6 = "3"
-- $7 = "4"
