select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id"
    from "public"."search"($1::text) as "t1"
    where "t1"."rating" > $2::int4
    limit 1
  ) as "o:2"
)), to_json((
  select "o:6"
  from (
    select json_build_object('count', count(*)) as "aggregate"
    from (
      select 1
      from "public"."search"($3::text) as "t3"
      where "t3"."rating" > $4::int4
    ) as "t4"
  ) as "o:6"
))
-- $1 = "tree"
-- $2 = "3"
-- $3 = "e"
-- $4 = "3"
