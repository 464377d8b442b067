insert into "public"."article" as "o:1" ("title", "author_id") values ($1::text, $2::int4) returning to_json((
  select "o:5"
  from (
    select "t2"."id" as "id", "t2"."title" as "title", "t2"."published" as "published", "o:4" as "author"
    from (
      select "o:1".*
    ) as "t2"
    left join lateral (
      select "t3"."name" as "name"
      from "public"."author" as "t3"
      where "t3"."id" = "t2"."author_id"
      limit 1
    ) as "o:4" on true
  ) as "o:5"
)), 0
-- $1 = "Four"
-- $2 = "2"
