select array_to_json(array(
  select "o:3"
  from (
    select "t1"."id" as "id"
    from "public"."author" as "t1"
    where "t1"."id" = any ($1::int4[]) and exists (
      select
      from "public"."author" as "t2"
      where "t2"."id" = "t1"."mentor_id" and "t2"."name" = $2::text
    ) and "t1"."active" = false
  ) as "o:3"
)), array_to_json(array(
  select "o:5"
  from (
    select "t4"."id" as "id"
    from "public"."author" as "t4"
    where "t4"."name" = $3::text
  ) as "o:5"
))
-- $1 = ["2","3"]
-- $2 = "Ada"
-- $3 = "Bob"
