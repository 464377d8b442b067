select array_to_json(array(
  select "o:6"
  from (
    select "t3"."name" as "name", "o:5" as "mentor"
    from (
      select "t1"."name", "t1"."mentor_id", row_number() over () as "o:2"
      from "public"."author" as "t1"
    ) as "t3"
    left join lateral (
      select "t4"."name" as "name"
      from "public"."author" as "t4"
      where "t4"."id" = "t3"."mentor_id"
    ) as "o:5" on true
    order by "t3"."o:2"
  ) as "o:6"
)), array_to_json(array(
  select "o:14"
  from (
    select "t7"."name" as "name", "o:9" as "mentor", array(
      select "o:13"
      from (
        select "t10"."title" as "title", "o:12" as "author"
        from "public"."article" as "t10"
        left join lateral (
          select "t11"."name" as "name"
          from "public"."author" as "t11"
          where "t11"."id" = "t10"."author_id"
          limit 1
        ) as "o:12" on true
        where "t10"."author_id" = "t7"."id"
      ) as "o:13"
    ) as "articles"
    from "public"."author" as "t7"
    left join lateral (
      select "t8"."name" as "name"
      from "public"."author" as "t8"
      where "t8"."id" = "t7"."mentor_id"
      limit 1
    ) as "o:9" on true
    limit 2
  ) as "o:14"
)), array_to_json(array(
  select "o:19"
  from (
    select "t16"."name" as "name", "o:18" as "mentor"
    from (
      select "t15"."name", "t15"."mentor_id"
      from "public"."author" as "t15"
      limit 1
      offset $1::int8
    ) as "t16"
    left join lateral (
      select "t17"."name" as "name"
      from "public"."author" as "t17"
      where "t17"."id" = "t16"."mentor_id"
      limit 1
    ) as "o:18" on true
  ) as "o:19"
)), array_to_json(array(
  select "o:24"
  from (
    select "t21"."article_id" as "article_id", "t21"."approved" as "approved", "o:23" as "article"
    from (
      select distinct on ("t20"."approved", "t20"."article_id") "t20"."article_id", "t20"."approved"
      from "public"."review" as "t20"
    ) as "t21"
    left join lateral (
      select "t22"."title" as "title"
      from "public"."article" as "t22"
      where "t22"."id" = "t21"."article_id"
      limit 1
    ) as "o:23" on true
  ) as "o:24"
))
-- $1 = "1"
