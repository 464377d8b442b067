select to_json((
  select "o:9"
  from (
    select json_build_object('count', count(*), 'max', json_build_object('rating', "max"("t1"."rating"))) as "aggregate", array(
      select "o:8"
      from (
        select "t3"."title" as "title", "o:5" as "author", (
          select "o:7"
          from (
            select json_build_object('count', count(*)) as "aggregate"
            from "public"."review" as "t6"
            where "t6"."article_id" = "t3"."id"
          ) as "o:7"
        ) as "reviews_aggregate"
        from (
          select "t2"."title", "t2"."author_id", "t2"."id"
          from "public"."article" as "t2"
          where "t2"."status" = $1::"public"."article_status"
          order by "t2"."title"
        ) as "t3"
        left join lateral (
          select "t4"."name" as "name"
          from "public"."author" as "t4"
          where "t4"."id" = "t3"."author_id"
        ) as "o:5" on true
        order by "t3"."title"
      ) as "o:8"
    ) as "nodes"
    from "public"."article" as "t1"
    where "t1"."status" = $2::"public"."article_status"
  ) as "o:9"
)), to_json((
  select "o:17"
  from (
    with "t12" as (
      select "t10"."words", "t10"."id", "t10"."author_id"
      from "public"."article" as "t10"
      order by "t10"."id" desc
      limit 2
      offset $3::int8
    ) select array(
      select "o:16"
      from (
        select "t13"."id" as "id", "o:15" as "author"
        from "t12" as "t13"
        left join lateral (
          select "t14"."name" as "name"
          from "public"."author" as "t14"
          where "t14"."id" = "t13"."author_id"
          limit 1
        ) as "o:15" on true
        order by "t13"."id" desc
      ) as "o:16"
    ) as "nodes", json_build_object('count', count(*), 'sum', json_build_object('words', "sum"("t11"."words"))) as "aggregate"
    from "t12" as "t11"
  ) as "o:17"
))
-- $1 = "published"
-- $2 = "published"
-- $3 = "1"
