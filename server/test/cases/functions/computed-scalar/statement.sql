select array_to_json(array(
  select "o:2"
  from (
    select "public"."shout"("t1".*) as "shout", "public"."age"("t1".*, $1::int4) as "age"
    from "public"."author" as "t1"
    where "public"."shout"("t1".*) like $2::text
    order by "public"."shout"("t1".*) desc
  ) as "o:2"
))
-- $1 = "2000"
-- $2 = "%N%"
