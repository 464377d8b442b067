with "changed" as (insert into "public"."author" as "o:1" ("name") values ($1::text) on conflict on constraint "author_name_key" do nothing returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, to_json((
  select "o:4"
  from (
    select "t3"."id" as "id"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "Ann"
