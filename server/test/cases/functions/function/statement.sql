select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id", "t1"."title" as "title"
    from "public"."search"($1::text, "highest" => $2::int4) as "t1"
    where "t1"."id" > $3::int4
    order by "t1"."rating" desc
    limit 1
  ) as "o:2"
))
-- $1 = "tree"
-- $2 = "4"
-- $3 = "0"
