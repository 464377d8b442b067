select array_to_json(array(
  select "o:7"
  from (
    select "t2"."title" as "title", "o:4" as "author", array(
      select "o:6"
      from (
        select "t5"."stars" as "stars"
        from "public"."review" as "t5"
        where "t5"."article_id" = "t2"."id"
        order by "t5"."id" desc
        limit 1
      ) as "o:6"
    ) as "reviews"
    from (
      select "t1"."title", "t1"."author_id", "t1"."id"
      from "public"."article" as "t1"
      order by "t1"."id"
      limit 2
      offset $1::int8
    ) as "t2"
    left join lateral (
      select "t3"."name" as "name"
      from "public"."author" as "t3"
      where "t3"."id" = "t2"."author_id"
      limit 1
    ) as "o:4" on true
    order by "t2"."id"
  ) as "o:7"
))
-- $1 = "1"
