insert into "public"."author" as "o:1" ("name") select ("t2"."row"->>0)::text
from jsonb_array_elements($1::jsonb) with ordinality as "t2" ("row", "position")
order by "t2"."position" returning false, "o:1"::text, "o:1"."id"::text
-- $1 = "[[\"Cy\"],[\"Di\"]]"

insert into "public"."article" as "o:1" ("title", "author_id") select ("t2"."row"->>0)::text, ("t2"."row"->>1)::int4
from jsonb_array_elements($1::jsonb) with ordinality as "t2" ("row", "position")
order by "t2"."position" returning false, "o:1"::text
-- $1 = "[[\"x\",\"3\"],[\"y\",\"3\"]]"

select array_to_json(array(
  select "o:4"
  from (
    select "t1"."name" as "name", array(
      select "o:3"
      from (
        select "t2"."title" as "title"
        from "public"."article" as "t2"
        where "t2"."author_id" = "t1"."id"
      ) as "o:3"
    ) as "articles"
    from unnest((
      select $1::"public"."author"[]
    )) as "t1"
  ) as "o:4"
))
-- $1 = ["(3,Cy,,,1.5,0,)","(4,Di,,,1.5,0,)"]
