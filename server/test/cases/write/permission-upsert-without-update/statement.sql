with "changed" as (insert into "public"."article" as "o:1" ("title") values ($1::text) on conflict on constraint "article_pkey" do nothing returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, to_json((
  select "o:4"
  from (
    select "t3"."title" as "title"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "x"
