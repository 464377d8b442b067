select array_to_json(array(
  select "o:6"
  from (
    select "t3"."id" as "id", "t3"."name" as "name", "o:5" as "mentor", "t3"."born" as "born", 'author'::text as "kind"
    from (
      select "t1"."id", "t1"."name", "t1"."mentor_id", "t1"."born", row_number() over () as "o:2"
      from "public"."author" as "t1"
      where "t1"."id" = $1::int4
    ) as "t3"
    left join lateral (
      select "t4"."name" as "name"
      from "public"."author" as "t4"
      where "t4"."id" = "t3"."mentor_id"
    ) as "o:5" on true
    order by "t3"."o:2"
  ) as "o:6"
)), array_to_json(array(
  select "o:10"
  from (
    select "t7"."id" as "id", "t7"."name" as "nick", array(
      select "o:9"
      from (
        select "t8"."title" as "title", "t8"."id" as "id"
        from "public"."article" as "t8"
        where "t8"."author_id" = "t7"."id"
        order by "t8"."id"
      ) as "o:9"
    ) as "articles"
    from "public"."author" as "t7"
    where "t7"."id" = $2::int4
  ) as "o:10"
))
-- $1 = "1"
-- $2 = "2"
