select array_to_json(array(
  select "o:8"
  from (
    select "t5"."name" as "name", "o:7" as "stats"
    from (
      select "t1"."name", "t1"."id", "t3"."key" as "o:4"
      from "public"."author" as "t1"
      left join lateral (
        select "t2"."articles" as "key"
        from "public"."author_stats" as "t2"
        where "t2"."author_id" = "t1"."id"
        limit 1
      ) as "t3" on true
      order by "t3"."key" desc
      limit 2
    ) as "t5"
    left join lateral (
      select "t6"."articles" as "articles", "t6"."mean" as "mean"
      from "public"."author_stats" as "t6"
      where "t6"."author_id" = "t5"."id"
      limit 1
    ) as "o:7" on true
    order by "t5"."o:4" desc
  ) as "o:8"
)), to_json((
  select "o:10"
  from (
    select json_build_object('sum', json_build_object('articles', "sum"("t9"."articles"))) as "aggregate"
    from "public"."author_stats" as "t9"
  ) as "o:10"
))
