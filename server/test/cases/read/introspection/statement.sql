select array_to_json(array(
  select "o:2"
  from (
    select 'author'::text as "__typename", "t1"."id" as "id"
    from "public"."author" as "t1"
    order by "t1"."id"
    limit 1
  ) as "o:2"
))
