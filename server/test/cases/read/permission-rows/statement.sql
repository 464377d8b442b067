select array_to_json(array(
  select "o:9"
  from (
    select "t1"."name" as "name", "o:3" as "mentor", array(
      select "o:8"
      from (
        select "t4"."title" as "title", array(
          select "o:7"
          from (
            select "t6"."stars" as "stars"
            from "public"."review" as "t6"
            where "t6"."article_id" = "t4"."id" and "t6"."approved" = true
            order by "t6"."id"
          ) as "o:7"
        ) as "reviews"
        from "public"."article" as "t4"
        where "t4"."author_id" = "t1"."id" and ("t4"."status" = any ($1::"public"."article_status"[]) or exists (
          select
          from "public"."author" as "t5"
          where "t5"."id" = "t4"."author_id" and "t5"."id" = $2::int4
        ))
        order by "t4"."id"
        limit 2
      ) as "o:8"
    ) as "articles"
    from "public"."author" as "t1"
    left join lateral (
      select "t2"."name" as "name"
      from "public"."author" as "t2"
      where "t2"."id" = "t1"."mentor_id" and ("t2"."id" = $2::int4 or "t2"."active" = true)
      limit 1
    ) as "o:3" on true
    where ("t1"."id" = $2::int4 or "t1"."active" = true)
    order by "t1"."id"
    limit 3
  ) as "o:9"
)), array_to_json(array(
  select "o:14"
  from (
    select "t10"."id" as "id", "o:13" as "author"
    from "public"."article" as "t10"
    left join lateral (
      select "t12"."name" as "name"
      from "public"."author" as "t12"
      where "t12"."id" = "t10"."author_id" and ("t12"."id" = $2::int4 or "t12"."active" = true)
      limit 1
    ) as "o:13" on true
    where ("t10"."status" = any ($1::"public"."article_status"[]) or exists (
      select
      from "public"."author" as "t11"
      where "t11"."id" = "t10"."author_id" and "t11"."id" = $2::int4
    ))
    order by "t10"."id"
    limit 2
  ) as "o:14"
))
-- $1 = "{published}"
-- $2 = "2"
