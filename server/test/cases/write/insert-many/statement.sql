with "changed" as (insert into "public"."author" as "o:1" ("name", "visits") select ("t2"."row"->>0)::text, ("t2"."row"->>1)::int4 from jsonb_array_elements($1::jsonb) with ordinality as "t2" ("row", "position") order by "t2"."position" returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:5"
  from (
    select "t4"."id" as "id", "t4"."name" as "name", "t4"."visits" as "visits"
    from "changed" as "t4"
  ) as "o:5"
))
-- $1 = "[[\"Cy\",\"1\"],[\"Di\",\"2\"]]"
