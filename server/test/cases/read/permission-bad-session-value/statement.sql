select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."author" as "t1"
    where ("t1"."id" = $1::int4 or "t1"."active" = true)
    limit 3
  ) as "o:2"
))
-- $1 = "two"
