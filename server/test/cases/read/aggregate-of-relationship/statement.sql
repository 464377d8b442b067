select array_to_json(array(
  select "o:12"
  from (
    select "t1"."name" as "name", (
      select "o:5"
      from (
        select json_build_object('count', count(*), 'avg', json_build_object('words', "avg"("t2"."words"))) as "aggregate", array(
          select "o:4"
          from (
            select "t3"."title" as "title"
            from "public"."article" as "t3"
            where "t3"."author_id" = "t1"."id" and "t3"."rating" is not null
          ) as "o:4"
        ) as "nodes"
        from "public"."article" as "t2"
        where "t2"."author_id" = "t1"."id" and "t2"."rating" is not null
      ) as "o:5"
    ) as "articles_aggregate", (
      select "o:9"
      from (
        select json_build_object('count', count(*), 'max', json_build_object('name', "max"("t7"."name"))) as "aggregate"
        from (
          select "t6"."name", "t6"."id"
          from "public"."author" as "t6"
          where "t6"."mentor_id" = "t1"."id"
          order by "t6"."id" desc
          limit 1
        ) as "t7"
      ) as "o:9"
    ) as "students_aggregate", (
      select "o:11"
      from (
        select json_build_object('count', case when $1::bool then count(distinct "t10"."stars") else count("t10"."stars") end) as "aggregate"
        from "public"."review" as "t10"
        where "t10"."author_id" = "t1"."id"
      ) as "o:11"
    ) as "reviews_aggregate"
    from "public"."author" as "t1"
    order by "t1"."id"
  ) as "o:12"
))
-- $1 = true
