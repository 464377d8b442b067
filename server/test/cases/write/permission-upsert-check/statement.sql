with "changed" as (insert into "public"."author" as "o:1" ("name", "visits", "owner", "score") values ($1::text, $2::int4, $3::int4, $4::numeric) on conflict on constraint "author_name_key" do update set "visits" = excluded."visits", "bio" = $5::jsonb where "o:1"."owner" = $3::int4 returning "o:1".*, ("o:1"."xmax"::text <> '0') as "changed:existed") select (
  select count(*)
  from "changed"
), (
  select count(*)
  from "changed" as "t2"
  where (("t2"."visits" < $6::int4) is not true or ("t2"."changed:existed" and ("t2"."visits" < $7::int4) is not true))
), to_json((
  select "o:4"
  from (
    select "t3"."name" as "name"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "Cy"
-- $2 = "60"
-- $3 = "1"
-- $4 = "7"
-- $5 = "{\"by\":\"user\"}"
-- $6 = "100"
-- $7 = "50"

with "changed" as (insert into "public"."author" as "o:1" ("name", "visits", "owner", "score") values ($1::text, $2::int4, $3::int4, $4::numeric) on conflict on constraint "author_name_key" do update set "visits" = excluded."visits", "bio" = $5::jsonb where "o:1"."owner" = $3::int4 returning "o:1".*, ("o:1"."xmax"::text <> '0') as "changed:existed") select (
  select count(*)
  from "changed"
), (
  select count(*)
  from "changed" as "t2"
  where (("t2"."visits" < $6::int4) is not true or ("t2"."changed:existed" and ("t2"."visits" < $7::int4) is not true))
), to_json((
  select "o:4"
  from (
    select "t3"."name" as "name"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "Ann"
-- $2 = "60"
-- $3 = "1"
-- $4 = "7"
-- $5 = "{\"by\":\"user\"}"
-- $6 = "100"
-- $7 = "50"
