with "changed" as (insert into "public"."author" as "o:1" ("name", "visits", "owner", "score") select ("t2"."row"->>0)::text, ("t2"."row"->>1)::int4, $1::int4, $2::numeric from jsonb_array_elements($3::jsonb) with ordinality as "t2" ("row", "position") order by "t2"."position" returning "o:1".*) select (
  select count(*)
  from "changed"
), (
  select case when count(*) = 0 then 0 else pg_catalog.concat('the check of a permission has failed')::int8 end
  from "changed" as "t3"
  where (("t3"."visits" < $4::int4) is not true)
)
-- $1 = "1"
-- $2 = "7"
-- $3 = "[[\"Cy\",\"3\"],[\"Di\",\"100\"]]"
-- $4 = "100"

with "changed" as (insert into "public"."author" as "o:1" ("name", "visits", "owner", "score") select ("t2"."row"->>0)::text, ("t2"."row"->>1)::int4, $1::int4, $2::numeric from jsonb_array_elements($3::jsonb) with ordinality as "t2" ("row", "position") order by "t2"."position" returning "o:1".*) select (
  select count(*)
  from "changed"
), (
  select count(*)
  from "changed" as "t3"
  where (("t3"."visits" < $4::int4) is not true)
)
-- $1 = "1"
-- $2 = "7"
-- $3 = "[[\"Cy\",\"3\"],[\"Di\",\"100\"]]"
-- $4 = "100"
