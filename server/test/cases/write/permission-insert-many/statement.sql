with "changed" as (insert into "public"."author" as "o:1" ("name", "visits", "owner", "score") values ($1::text, $2::int4, $3::int4, $4::numeric), ($5::text, default, $3::int4, $6::numeric) returning "o:1".*) select (
  select count(*)
  from "changed"
), (
  select case when count(*) = 0 then 0 else pg_catalog.concat('the check of a permission has failed')::int8 end
  from "changed" as "t2"
  where (("t2"."visits" < $7::int4) is not true)
), array_to_json(array(
  select "o:4"
  from (
    select "t3"."name" as "name", "t3"."visits" as "visits", "t3"."owner" as "owner"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "Cy"
-- $2 = "3"
-- $3 = "1"
-- $4 = "7"
-- $5 = "Di"
-- $6 = "7"
-- $7 = "100"
