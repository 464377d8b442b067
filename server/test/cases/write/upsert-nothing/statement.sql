insert into "public"."author" as "o:1" ("name") values ($1::text) on conflict on constraint "author_name_key" do nothing returning to_json((
  select "o:3"
  from (
    select "t2"."id" as "id"
    from (
      select "o:1".*
    ) as "t2"
  ) as "o:3"
)), 0
-- $1 = "Ann"
