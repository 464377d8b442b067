select array_to_json(array(
  select "o:3"
  from (
    select "t1"."id" as "id"
    from "public"."article" as "t1"
    where exists (
      select
      from "public"."review" as "t2"
      where "t2"."article_id" = "t1"."id" and "t2"."author_id" = "t1"."author_id"
    )
    order by "t1"."id"
  ) as "o:3"
)), array_to_json(array(
  select "o:8"
  from (
    select "t4"."id" as "id", array(
      select "o:7"
      from (
        select "t5"."id" as "id"
        from "public"."article" as "t5"
        where "t5"."author_id" = "t4"."id" and exists (
          select
          from "public"."review" as "t6"
          where "t6"."article_id" = "t5"."id" and "t6"."author_id" = "t5"."author_id"
        )
      ) as "o:7"
    ) as "articles"
    from "public"."author" as "t4"
    order by "t4"."id"
  ) as "o:8"
))
