select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id", "t1"."notes" as "notes"
    from "public"."article" as "t1"
    where "t1"."notes" is not null
    order by "t1"."id"
  ) as "o:2"
))
