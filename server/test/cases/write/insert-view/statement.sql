with "changed" as (insert into "public"."popular" as "o:1" ("id", "name", "visits") values ($1::int4, $2::text, $3::int4) returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id", "t3"."name" as "name"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "9"
-- $2 = "Cy"
-- $3 = "30"
