select to_json((
  select "o:8"
  from (
    select json_build_object('count', count(*), 'max', json_build_object('rating', "max"("t1"."rating"))) as "aggregate", array(
      select "o:7"
      from (
        select "t2"."title" as "title", "o:4" as "author", (
          select "o:6"
          from (
            select json_build_object('count', count(*)) as "aggregate"
            from "public"."review" as "t5"
            where "t5"."article_id" = "t2"."id"
          ) as "o:6"
        ) as "reviews_aggregate"
        from "public"."article" as "t2"
        left join lateral (
          select "t3"."name" as "name"
          from "public"."author" as "t3"
          where "t3"."id" = "t2"."author_id"
        ) as "o:4" on true
        where "t2"."status" = $1::"public"."article_status"
        order by "t2"."title"
      ) as "o:7"
    ) as "nodes"
    from "public"."article" as "t1"
    where "t1"."status" = $2::"public"."article_status"
  ) as "o:8"
)), to_json((
  select "o:16"
  from (
    with "t11" as (
      select "t9"."words", "t9"."id", "t9"."author_id"
      from "public"."article" as "t9"
      order by "t9"."id" desc
      limit 2
      offset $3::int8
    ) select array(
      select "o:15"
      from (
        select "t12"."id" as "id", "o:14" as "author"
        from "t11" as "t12"
        left join lateral (
          select "t13"."name" as "name"
          from "public"."author" as "t13"
          where "t13"."id" = "t12"."author_id"
        ) as "o:14" on true
        order by "t12"."id" desc
      ) as "o:15"
    ) as "nodes", json_build_object('count', count(*), 'sum', json_build_object('words', "sum"("t10"."words"))) as "aggregate"
    from "t11" as "t10"
  ) as "o:16"
))
-- $1 = "published"
-- $2 = "published"
-- $3 = "1"
