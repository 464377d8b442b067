select to_json((
  select "o:6"
  from (
    with "t3" as (
      select "t1"."rating", "t1"."id"
      from "public"."search"($1::text) as "t1"
    ) select json_build_object('count', count(*), 'max', json_build_object('rating', "max"("t2"."rating"))) as "aggregate", array(
      select "o:5"
      from (
        select "t4"."id" as "id"
        from "t3" as "t4"
      ) as "o:5"
    ) as "nodes"
    from "t3" as "t2"
  ) as "o:6"
))
-- $1 = "tree"
