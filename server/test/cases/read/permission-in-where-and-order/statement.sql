select array_to_json(array(
  select "o:4"
  from (
    select "t1"."id" as "id"
    from "public"."article" as "t1"
    where ("t1"."status" = any ($1::"public"."article_status"[]) or exists (
      select
      from "public"."author" as "t2"
      where "t2"."id" = "t1"."author_id" and "t2"."id" = $2::int4
    )) and exists (
      select
      from "public"."author" as "t3"
      where "t3"."id" = "t1"."author_id" and ("t3"."id" = $2::int4 or "t3"."active" = true) and "t3"."name" like $3::text
    )
    limit 2
  ) as "o:4"
)), array_to_json(array(
  select "o:8"
  from (
    select "t5"."id" as "id"
    from "public"."article" as "t5"
    where ("t5"."status" = any ($1::"public"."article_status"[]) or exists (
      select
      from "public"."author" as "t6"
      where "t6"."id" = "t5"."author_id" and "t6"."id" = $2::int4
    )) and exists (
      select
      from "public"."review" as "t7"
      where "t7"."article_id" = "t5"."id" and "t7"."approved" = true and "t7"."stars" < $4::int2
    )
    limit 2
  ) as "o:8"
)), array_to_json(array(
  select "o:12"
  from (
    select "t9"."id" as "id"
    from "public"."article" as "t9"
    where ("t9"."status" = any ($1::"public"."article_status"[]) or exists (
      select
      from "public"."author" as "t10"
      where "t10"."id" = "t9"."author_id" and "t10"."id" = $2::int4
    )) and exists (
      select
      from "public"."review" as "t11"
      where "t11"."article_id" = "t9"."id" and "t11"."approved" = true
      having count(*) > $5::int4
    )
    limit 2
  ) as "o:12"
)), array_to_json(array(
  select "o:18"
  from (
    select "t13"."id" as "id"
    from "public"."article" as "t13"
    left join lateral (
      select "t15"."name" as "key"
      from "public"."author" as "t15"
      where "t15"."id" = "t13"."author_id" and ("t15"."id" = $2::int4 or "t15"."active" = true)
    ) as "t16" on true
    where ("t13"."status" = any ($1::"public"."article_status"[]) or exists (
      select
      from "public"."author" as "t17"
      where "t17"."id" = "t13"."author_id" and "t17"."id" = $2::int4
    ))
    order by (
      select "count"(*)
      from "public"."review" as "t14"
      where "t14"."article_id" = "t13"."id" and "t14"."approved" = true
    ) desc, "t16"."key", "t13"."id"
    limit 2
  ) as "o:18"
))
-- $1 = "{published}"
-- $2 = "2"
-- $3 = "Cy%"
-- $4 = "2"
-- $5 = "1"
