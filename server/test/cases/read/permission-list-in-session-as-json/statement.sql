select array_to_json(array(
  select "o:3"
  from (
    select "t1"."id" as "id"
    from "public"."article" as "t1"
    where ("t1"."status" = any ($1::"public"."article_status"[]) or exists (
      select
      from "public"."author" as "t2"
      where "t2"."id" = "t1"."author_id" and "t2"."id" = $2::int4
    ))
    order by "t1"."id"
    limit 2
  ) as "o:3"
))
-- $1 = ["review","draft"]
-- $2 = "99"
