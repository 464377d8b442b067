select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."author" as "t1"
    order by "t1"."mentor_id" desc nulls last, "t1"."id" desc
  ) as "o:2"
)), array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id"
    from "public"."author" as "t3"
    order by "t3"."id" desc
  ) as "o:4"
))
