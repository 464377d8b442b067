select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id", "t1"."name" as "name", "t1"."email" as "email", "t1"."mentor_id" as "mentor_id", "t1"."born" as "born", "t1"."balance" as "balance", "t1"."karma" as "karma", "t1"."active" as "active"
    from "public"."author" as "t1"
    order by "t1"."id"
  ) as "o:2"
))
