with "changed" as (insert into "public"."author" as "o:1" ("name", "visits", "owner", "score") select ("t2"."row"->>0)::text, ("t2"."row"->>1)::int4, $1::int4, $2::numeric from jsonb_array_elements($3::jsonb) with ordinality as "t2" ("row", "position") order by "t2"."position" on conflict on constraint "author_name_key" do update set "visits" = excluded."visits", "bio" = $4::jsonb where "o:1"."owner" = $1::int4 returning "o:1".*, ("o:1"."xmax"::text <> '0') as "changed:existed") select (
  select count(*)
  from "changed"
), (
  select case when count(*) = 0 then 0 else pg_catalog.concat('the check of a permission has failed')::int8 end
  from "changed" as "t3"
  where (("t3"."visits" < $5::int4) is not true or ("t3"."changed:existed" and ("t3"."visits" < $6::int4) is not true))
), array_to_json(array(
  select "o:5"
  from (
    select "t4"."name" as "name", "t4"."visits" as "visits", "t4"."owner" as "owner"
    from "changed" as "t4"
  ) as "o:5"
))
-- $1 = "1"
-- $2 = "7"
-- $3 = "[[\"Ann\",\"40\"],[\"Bo\",\"40\"]]"
-- $4 = "{\"by\":\"user\"}"
-- $5 = "100"
-- $6 = "50"
