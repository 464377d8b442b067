with "changed" as (insert into "public"."author" as "o:1" ("name", "visits") values ($1::text, $2::int4), ($3::text, default) on conflict on constraint "author_name_key" do update set "visits" = excluded."visits" returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id", "t3"."name" as "name", "t3"."visits" as "visits"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "Ann"
-- $2 = "5"
-- $3 = "Cy"
