select array_to_json(array(
  select "o:3"
  from (
    select "t1"."id" as "id"
    from "public"."review" as "t1"
    where exists (
      select
      from "public"."author" as "t2"
      where "t2"."id" = $1::int4 and "t2"."active" = true
    )
    order by "t1"."id"
  ) as "o:3"
))
-- $1 = "2"
