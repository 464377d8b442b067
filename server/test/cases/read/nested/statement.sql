select array_to_json(array(
  select "o:12"
  from (
    select "t1"."name" as "name", "o:5" as "mentor", array(
      select "o:11"
      from (
        select "t6"."title" as "title", array(
          select "o:10"
          from (
            select "t7"."stars" as "stars", "o:9" as "author"
            from "public"."review" as "t7"
            left join lateral (
              select "t8"."name" as "name"
              from "public"."author" as "t8"
              where "t8"."id" = "t7"."author_id"
              limit 1
            ) as "o:9" on true
            where "t7"."article_id" = "t6"."id"
            order by "t7"."id"
          ) as "o:10"
        ) as "reviews"
        from "public"."article" as "t6"
        where "t6"."author_id" = "t1"."id"
        order by "t6"."id" desc
      ) as "o:11"
    ) as "articles"
    from "public"."author" as "t1"
    left join lateral (
      select "t2"."name" as "name", "o:4" as "mentor"
      from "public"."author" as "t2"
      left join lateral (
        select "t3"."name" as "name"
        from "public"."author" as "t3"
        where "t3"."id" = "t2"."mentor_id"
      ) as "o:4" on true
      where "t2"."id" = "t1"."mentor_id"
      limit 1
    ) as "o:5" on true
    order by "t1"."id"
    limit 3
  ) as "o:12"
))
