select array_to_json(array(
  select "o:5"
  from (
    select "t2"."article_id" as "article_id", "t2"."stars" as "stars", "o:4" as "article"
    from (
      select distinct on ("t1"."article_id") "t1"."article_id", "t1"."stars"
      from "public"."review" as "t1"
      order by "t1"."article_id", "t1"."stars" desc
    ) as "t2"
    left join lateral (
      select "t3"."title" as "title"
      from "public"."article" as "t3"
      where "t3"."id" = "t2"."article_id"
      limit 1
    ) as "o:4" on true
    order by "t2"."article_id", "t2"."stars" desc
  ) as "o:5"
)), array_to_json(array(
  select "o:8"
  from (
    select "t7"."id" as "id"
    from (
      select distinct on ("t6"."article_id", "t6"."approved") "t6"."id", "t6"."approved", "t6"."article_id"
      from "public"."review" as "t6"
      order by "t6"."approved" desc, "t6"."article_id" desc, "t6"."id"
      limit 3
    ) as "t7"
    order by "t7"."approved" desc, "t7"."article_id" desc, "t7"."id"
  ) as "o:8"
)), to_json((
  select "o:12"
  from (
    select json_build_object('count', count(*)) as "aggregate"
    from (
      select distinct on ("t9"."status") 1
      from "public"."article" as "t9"
    ) as "t10"
  ) as "o:12"
))
