select array_to_json(array(
  select "o:4"
  from (
    select "t1"."id" as "id"
    from "public"."article" as "t1"
    left join lateral (
      select "t2"."name" as "key"
      from "public"."author" as "t2"
      where "t2"."id" = "t1"."author_id"
    ) as "t3" on true
    order by "t3"."key", "t1"."id"
  ) as "o:4"
)), array_to_json(array(
  select "o:10"
  from (
    select "t5"."id" as "id"
    from "public"."article" as "t5"
    left join lateral (
      select "t8"."key" as "key"
      from "public"."author" as "t6"
      left join lateral (
        select "t7"."name" as "key"
        from "public"."author" as "t7"
        where "t7"."id" = "t6"."mentor_id"
      ) as "t8" on true
      where "t6"."id" = "t5"."author_id"
    ) as "t9" on true
    order by "t9"."key" nulls first, "t5"."id"
  ) as "o:10"
)), array_to_json(array(
  select "o:13"
  from (
    select "t11"."id" as "id"
    from "public"."author" as "t11"
    order by (
      select "count"(*)
      from "public"."article" as "t12"
      where "t12"."author_id" = "t11"."id"
    ) desc, "t11"."id"
  ) as "o:13"
)), array_to_json(array(
  select "o:16"
  from (
    select "t14"."id" as "id"
    from "public"."article" as "t14"
    order by (
      select "max"("t15"."stars")
      from "public"."review" as "t15"
      where "t15"."article_id" = "t14"."id"
    ) desc nulls last, "t14"."id"
  ) as "o:16"
)), array_to_json(array(
  select "o:27"
  from (
    select "t22"."id" as "id", "o:26" as "author"
    from (
      select "t17"."id", "t17"."author_id", "t20"."key" as "o:21"
      from "public"."article" as "t17"
      left join lateral (
        select (
          select "count"(*)
          from "public"."article" as "t19"
          where "t19"."author_id" = "t18"."id"
        ) as "key"
        from "public"."author" as "t18"
        where "t18"."id" = "t17"."author_id"
      ) as "t20" on true
      order by "t20"."key" desc nulls last, "t17"."id"
      limit 2
      offset $1::int8
    ) as "t22"
    left join lateral (
      select "t23"."name" as "name", (
        select "o:25"
        from (
          select json_build_object('count', count(*)) as "aggregate"
          from "public"."article" as "t24"
          where "t24"."author_id" = "t23"."id"
        ) as "o:25"
      ) as "articles_aggregate"
      from "public"."author" as "t23"
      where "t23"."id" = "t22"."author_id"
      limit 1
    ) as "o:26" on true
    order by "t22"."o:21" desc nulls last, "t22"."id"
  ) as "o:27"
))
-- $1 = "1"
