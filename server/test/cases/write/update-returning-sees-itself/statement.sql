update "public"."author" as "o:1" set "name" = $1::text
where "o:1"."id" = $2::int4 returning false, "o:1"::text
-- $1 = "Anna"
-- $2 = "1"

select array_to_json(array(
  select "o:6"
  from (
    select array(
      select "o:5"
      from (
        select "t2"."title" as "title", "o:4" as "author"
        from "public"."article" as "t2"
        left join lateral (
          select "t3"."name" as "name"
          from "public"."author" as "t3"
          where "t3"."id" = "t2"."author_id"
          limit 1
        ) as "o:4" on true
        where "t2"."author_id" = "t1"."id"
      ) as "o:5"
    ) as "articles"
    from unnest((
      select $1::"public"."author"[]
    )) as "t1"
  ) as "o:6"
))
-- $1 = ["(1,Anna,\"{\"\"a\"\": {\"\"b\"\": [1, 2]}, \"\"c\"\": 1}\",,1.5,20,1)"]
