with "changed" as (insert into "public"."article" as "o:1" ("title", "author_id") values ($1::text, $2::int4) returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, to_json((
  select "o:8"
  from (
    select "t5"."id" as "id", "t5"."title" as "title", "t5"."published" as "published", "o:7" as "author"
    from (
      select "t3"."id", "t3"."title", "t3"."published", "t3"."author_id", row_number() over () as "o:4"
      from "changed" as "t3"
    ) as "t5"
    left join lateral (
      select "t6"."name" as "name"
      from "public"."author" as "t6"
      where "t6"."id" = "t5"."author_id"
    ) as "o:7" on true
    order by "t5"."o:4"
  ) as "o:8"
))
-- $1 = "Four"
-- $2 = "2"
