insert into "public"."article" as "o:1" ("title") values ($1::text) on conflict on constraint "article_pkey" do nothing returning to_json((
  select "o:3"
  from (
    select "t2"."title" as "title"
    from (
      select "o:1".*
    ) as "t2"
  ) as "o:3"
)), 0
-- $1 = "x"
