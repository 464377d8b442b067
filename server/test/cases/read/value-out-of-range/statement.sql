select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."author" as "t1"
    where "t1"."born" = $1::date
  ) as "o:2"
))
-- $1 = "2024-02-30"
