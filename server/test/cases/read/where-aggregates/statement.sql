select array_to_json(array(
  select "o:3"
  from (
    select "t1"."id" as "id"
    from "public"."author" as "t1"
    where exists (
      select
      from "public"."article" as "t2"
      where "t2"."author_id" = "t1"."id"
      having count(*) >= $1::int4
    )
  ) as "o:3"
)), array_to_json(array(
  select "o:6"
  from (
    select "t4"."id" as "id"
    from "public"."author" as "t4"
    where exists (
      select
      from "public"."article" as "t5"
      where "t5"."author_id" = "t4"."id"
      having count(*) = $2::int4
    )
  ) as "o:6"
)), array_to_json(array(
  select "o:9"
  from (
    select "t7"."id" as "id"
    from "public"."article" as "t7"
    where exists (
      select
      from "public"."review" as "t8"
      where "t8"."article_id" = "t7"."id" and "t8"."approved" = true
      having count(*) = $3::int4
    )
  ) as "o:9"
)), array_to_json(array(
  select "o:12"
  from (
    select "t10"."id" as "id"
    from "public"."article" as "t10"
    where exists (
      select
      from "public"."review" as "t11"
      where "t11"."article_id" = "t10"."id"
      having "count"(distinct "t11"."author_id") > $4::int4
    )
  ) as "o:12"
)), array_to_json(array(
  select "o:15"
  from (
    select "t13"."id" as "id"
    from "public"."article" as "t13"
    where exists (
      select
      from "public"."review" as "t14"
      where "t14"."article_id" = "t13"."id"
      having "bool_and"("t14"."approved") = true
    )
    order by "t13"."id"
  ) as "o:15"
)), array_to_json(array(
  select "o:18"
  from (
    select "t16"."id" as "id"
    from "public"."article" as "t16"
    where exists (
      select
      from "public"."review" as "t17"
      where "t17"."article_id" = "t16"."id"
      having "bool_or"("t17"."approved") = true
    )
    order by "t16"."id"
  ) as "o:18"
))
-- $1 = "2"
-- $2 = "0"
-- $3 = "2"
-- $4 = "2"
