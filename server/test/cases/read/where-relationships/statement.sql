select array_to_json(array(
  select "o:3"
  from (
    select "t1"."id" as "id"
    from "public"."article" as "t1"
    where exists (
      select
      from "public"."author" as "t2"
      where "t2"."id" = "t1"."author_id" and "t2"."name" = $1::text
    )
    order by "t1"."id"
  ) as "o:3"
)), array_to_json(array(
  select "o:6"
  from (
    select "t4"."id" as "id"
    from "public"."author" as "t4"
    where exists (
      select
      from "public"."article" as "t5"
      where "t5"."author_id" = "t4"."id" and "t5"."rating" > $2::float8
    )
    order by "t4"."id"
  ) as "o:6"
)), array_to_json(array(
  select "o:9"
  from (
    select "t7"."id" as "id"
    from "public"."author" as "t7"
    where not (exists (
      select
      from "public"."article" as "t8"
      where "t8"."author_id" = "t7"."id"
    ))
  ) as "o:9"
)), array_to_json(array(
  select "o:15"
  from (
    select "t10"."id" as "id"
    from "public"."author" as "t10"
    where exists (
      select
      from "public"."article" as "t11"
      where "t11"."author_id" = "t10"."id" and exists (
        select
        from "public"."review" as "t12"
        where "t12"."article_id" = "t11"."id" and exists (
          select
          from "public"."author" as "t13"
          where "t13"."id" = "t12"."author_id" and exists (
            select
            from "public"."author" as "t14"
            where "t14"."id" = "t13"."mentor_id" and "t14"."name" = $3::text
          )
        )
      )
    )
    order by "t10"."id"
  ) as "o:15"
)), array_to_json(array(
  select "o:18"
  from (
    select "t16"."id" as "id"
    from "public"."article" as "t16"
    where not (exists (
      select
      from "public"."author" as "t17"
      where "t17"."id" = "t16"."author_id"
    ))
  ) as "o:18"
))
-- $1 = "Ada"
-- $2 = "3"
-- $3 = "Ada"
