select array_to_json(array(
  select "o:4"
  from (
    select "t1"."id" as "id", "public"."shout"("t1".*) as "shout", array(
      select "o:3"
      from (
        select "t2"."id" as "id"
        from "public"."best"("t1".*) as "t2"
        where "t2"."rating" > $1::int4
        limit 1
      ) as "o:3"
    ) as "best"
    from "public"."author" as "t1"
    where "public"."shout"("t1".*) = $2::text
  ) as "o:4"
))
-- $1 = "3"
-- $2 = "BO"
