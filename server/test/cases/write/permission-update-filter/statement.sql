with "changed" as (update "public"."author" as "o:1" set "visits" = $1::int4, "bio" = $2::jsonb where "o:1"."owner" = $3::int4 returning "o:1".*) select (
  select count(*)
  from "changed"
), (
  select case when count(*) = 0 then 0 else pg_catalog.concat('the check of a permission has failed')::int8 end
  from "changed" as "t2"
  where (("t2"."visits" < $4::int4) is not true)
), array_to_json(array(
  select "o:4"
  from (
    select "t3"."name" as "name", "t3"."visits" as "visits"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "30"
-- $2 = "{\"by\":\"user\"}"
-- $3 = "1"
-- $4 = "50"
