with "changed" as (delete from "public"."article" as "o:1" where exists (
  select
  from "public"."author" as "t2"
  where "t2"."id" = "o:1"."author_id" and "t2"."name" = $1::text
) returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:9"
  from (
    select "t6"."title" as "title", "o:8" as "author"
    from (
      select "t4"."title", "t4"."author_id", row_number() over () as "o:5"
      from "changed" as "t4"
    ) as "t6"
    left join lateral (
      select "t7"."name" as "name"
      from "public"."author" as "t7"
      where "t7"."id" = "t6"."author_id"
    ) as "o:8" on true
    order by "t6"."o:5"
  ) as "o:9"
))
-- $1 = "Ann"
