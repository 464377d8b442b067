with "changed" as (insert into "public"."article" as "o:1" ("title", "author_id") values ($1::text, $2::int4) returning "o:1".*) select (
  select count(*)
  from "changed"
), (
  select count(*)
  from "changed" as "t2"
  where ((exists (
    select
    from "public"."author" as "t3"
    where "t3"."id" = "t2"."author_id" and "t3"."owner" = $3::int4
  )) is not true)
), to_json((
  select "o:5"
  from (
    select "t4"."title" as "title"
    from "changed" as "t4"
  ) as "o:5"
))
-- $1 = "x"
-- $2 = "1"
-- $3 = "1"

with "changed" as (insert into "public"."article" as "o:1" ("title", "author_id") values ($1::text, $2::int4) returning "o:1".*) select (
  select count(*)
  from "changed"
), (
  select count(*)
  from "changed" as "t2"
  where ((exists (
    select
    from "public"."author" as "t3"
    where "t3"."id" = "t2"."author_id" and "t3"."owner" = $3::int4
  )) is not true)
), to_json((
  select "o:5"
  from (
    select "t4"."title" as "title"
    from "changed" as "t4"
  ) as "o:5"
))
-- $1 = "x"
-- $2 = "2"
-- $3 = "1"
