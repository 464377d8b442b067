insert into "public"."author" as "o:1" ("name") values ($1::text) on conflict on constraint "author_name_key" do nothing returning false, "o:1"::text, "o:1"."id"::text
-- $1 = "Bo"
