insert into "public"."article" as "o:1" ("title", "author_id") values ($1::text, $2::int4) returning to_json((
  select "o:3"
  from (
    select "t2"."title" as "title"
    from (
      select "o:1".*
    ) as "t2"
  ) as "o:3"
)), case when ((exists (
  select
  from "public"."author" as "t4"
  where "t4"."id" = "o:1"."author_id" and "t4"."owner" = $3::int4
)) is not true) then 1 else 0 end
-- $1 = "x"
-- $2 = "1"
-- $3 = "1"

insert into "public"."article" as "o:1" ("title", "author_id") values ($1::text, $2::int4) returning to_json((
  select "o:3"
  from (
    select "t2"."title" as "title"
    from (
      select "o:1".*
    ) as "t2"
  ) as "o:3"
)), case when ((exists (
  select
  from "public"."author" as "t4"
  where "t4"."id" = "o:1"."author_id" and "t4"."owner" = $3::int4
)) is not true) then 1 else 0 end
-- $1 = "x"
-- $2 = "2"
-- $3 = "1"
