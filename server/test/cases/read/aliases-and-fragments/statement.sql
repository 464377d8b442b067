select array_to_json(array(
  select "o:4"
  from (
    select "t1"."id" as "id", "t1"."name" as "name", "o:3" as "mentor", "t1"."born" as "born", 'author'::text as "kind"
    from "public"."author" as "t1"
    left join lateral (
      select "t2"."name" as "name"
      from "public"."author" as "t2"
      where "t2"."id" = "t1"."mentor_id"
    ) as "o:3" on true
    where "t1"."id" = $1::int4
  ) as "o:4"
)), array_to_json(array(
  select "o:8"
  from (
    select "t5"."id" as "id", "t5"."name" as "nick", array(
      select "o:7"
      from (
        select "t6"."title" as "title", "t6"."id" as "id"
        from "public"."article" as "t6"
        where "t6"."author_id" = "t5"."id"
        order by "t6"."id"
      ) as "o:7"
    ) as "articles"
    from "public"."author" as "t5"
    where "t5"."id" = $2::int4
  ) as "o:8"
))
-- $1 = "1"
-- $2 = "2"
