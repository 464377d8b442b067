select to_json((
  select "o:2"
  from (
    select 'article_aggregate'::text as "__typename", json_build_object('count', count(*), 'named', count("t1"."rating"), 'statuses', count(distinct "t1"."status"), 'pairs', count(distinct ("t1"."status", "t1"."author_id")), 'sum', json_build_object('words', "sum"("t1"."words")), 'avg', json_build_object('words', "avg"("t1"."words")), 'min', json_build_object('title', "min"("t1"."title"), 'published_at', "min"("t1"."published_at"), 'status', "min"("t1"."status")), 'max', json_build_object('words', "max"("t1"."words"), 'rating', "max"("t1"."rating"))) as "aggregate"
    from "public"."article" as "t1"
  ) as "o:2"
)), to_json((
  select "o:4"
  from (
    select json_build_object('stddev', json_build_object('id', "stddev"("t3"."id")), 'stddev_pop', json_build_object('id', "stddev_pop"("t3"."id")), 'stddev_samp', json_build_object('id', "stddev_samp"("t3"."id")), 'variance', json_build_object('id', "variance"("t3"."id")), 'var_pop', json_build_object('id', "var_pop"("t3"."id")), 'var_samp', json_build_object('id', "var_samp"("t3"."id")), 'sum', json_build_object('balance', "sum"("t3"."balance"), 'karma', "sum"("t3"."karma"))) as "aggregate"
    from "public"."author" as "t3"
    where "t3"."id" < $1::int4
  ) as "o:4"
)), to_json((
  select "o:8"
  from (
    select json_build_object('count', count(*), 'sum', json_build_object('karma', "sum"("t5"."karma")), 'max', json_build_object('name', "max"("t5"."name"))) as "aggregate", array(
      select "o:7"
      from (
        select "t6"."id" as "id"
        from "public"."author" as "t6"
        where "t6"."id" < $2::int4
      ) as "o:7"
    ) as "nodes"
    from "public"."author" as "t5"
    where "t5"."id" < $3::int4
  ) as "o:8"
))
-- $1 = "3"
-- $2 = "0"
-- $3 = "0"
