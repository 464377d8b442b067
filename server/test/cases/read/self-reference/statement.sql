select array_to_json(array(
  select "o:10"
  from (
    select "t1"."name" as "name", array(
      select "o:9"
      from (
        select "t4"."name" as "name", "o:6" as "mentor", array(
          select "o:8"
          from (
            select "t7"."name" as "name"
            from "public"."author" as "t7"
            where "t7"."mentor_id" = "t4"."id"
          ) as "o:8"
        ) as "students"
        from "public"."author" as "t4"
        left join lateral (
          select "t5"."name" as "name"
          from "public"."author" as "t5"
          where "t5"."id" = "t4"."mentor_id"
          limit 1
        ) as "o:6" on true
        where "t4"."mentor_id" = "t1"."id"
        order by "t4"."id"
      ) as "o:9"
    ) as "students"
    from "public"."author" as "t1"
    where exists (
      select
      from "public"."author" as "t2"
      where "t2"."mentor_id" = "t1"."id" and exists (
        select
        from "public"."author" as "t3"
        where "t3"."mentor_id" = "t2"."id"
      )
    )
  ) as "o:10"
))
