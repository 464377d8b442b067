select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id", "t1"."balance"::text as "balance", "t1"."karma"::text as "karma"
    from "public"."author" as "t1"
    order by "t1"."id"
  ) as "o:2"
)), array_to_json(array(
  select "o:4"
  from (
    select "t3"."rating"::text as "rating", "t3"."words" as "words", "t3"."scores" as "scores"
    from "public"."article" as "t3"
    order by "t3"."id"
  ) as "o:4"
)), to_json((
  select "o:6"
  from (
    select json_build_object('count', count(*), 'sum', json_build_object('balance', "sum"("t5"."balance")::text, 'karma', "sum"("t5"."karma")::text, 'id', "sum"("t5"."id")), 'avg', json_build_object('balance', "avg"("t5"."balance")::text, 'id', "avg"("t5"."id")), 'max', json_build_object('karma', "max"("t5"."karma")::text)) as "aggregate"
    from "public"."author" as "t5"
  ) as "o:6"
))
