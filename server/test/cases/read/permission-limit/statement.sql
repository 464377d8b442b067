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
    order by "t1"."id" desc
    limit 2
  ) as "o:3"
)), array_to_json(array(
  select "o:6"
  from (
    select "t4"."id" as "id"
    from "public"."article" as "t4"
    where ("t4"."status" = any ($1::"public"."article_status"[]) or exists (
      select
      from "public"."author" as "t5"
      where "t5"."id" = "t4"."author_id" and "t5"."id" = $2::int4
    ))
    order by "t4"."id" desc
    limit 1
  ) as "o:6"
)), to_json((
  select "o:12"
  from (
    select json_build_object('count', count(*), 'max', json_build_object('rating', "max"("t7"."rating"))) as "aggregate", array(
      select "o:10"
      from (
        select "t8"."id" as "id"
        from "public"."article" as "t8"
        where ("t8"."status" = any ($1::"public"."article_status"[]) or exists (
          select
          from "public"."author" as "t9"
          where "t9"."id" = "t8"."author_id" and "t9"."id" = $2::int4
        ))
        order by "t8"."id" desc
        limit 2
      ) as "o:10"
    ) as "nodes"
    from "public"."article" as "t7"
    where ("t7"."status" = any ($1::"public"."article_status"[]) or exists (
      select
      from "public"."author" as "t11"
      where "t11"."id" = "t7"."author_id" and "t11"."id" = $2::int4
    ))
  ) as "o:12"
)), to_json((
  select "o:19"
  from (
    with "t16" as (
      select "t13"."id"
      from "public"."article" as "t13"
      where ("t13"."status" = any ($1::"public"."article_status"[]) or exists (
        select
        from "public"."author" as "t14"
        where "t14"."id" = "t13"."author_id" and "t14"."id" = $2::int4
      ))
      order by "t13"."id" desc
      limit 3
    ) select json_build_object('count', count(*)) as "aggregate", array(
      select "o:18"
      from (
        select "t17"."id" as "id"
        from "t16" as "t17"
        order by "t17"."id" desc
        limit 2
      ) as "o:18"
    ) as "nodes"
    from "t16" as "t15"
  ) as "o:19"
))
-- $1 = "{published}"
-- $2 = "2"
