with "changed" as (delete from "public"."article" as "o:1" where exists (
  select
  from "public"."author" as "t2"
  where "t2"."id" = "o:1"."author_id" and "t2"."owner" = $1::int4
) and "o:1"."published" = false returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:5"
  from (
    select "t4"."title" as "title"
    from "changed" as "t4"
  ) as "o:5"
))
-- $1 = "1"
