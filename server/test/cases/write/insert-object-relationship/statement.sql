insert into "public"."author" as "o:1" ("name") select ("t2"."row"->>0)::text
from jsonb_array_elements($1::jsonb) with ordinality as "t2" ("row", "position")
order by "t2"."position" returning false, "o:1"::text, "o:1"."id"::text
-- $1 = "[[\"Cy\"],[\"Di\"]]"

insert into "public"."article" as "o:1" ("title", "author_id") select ("t2"."row"->>0)::text, ("t2"."row"->>1)::int4
from jsonb_array_elements($1::jsonb) with ordinality as "t2" ("row", "position")
order by "t2"."position" returning false, "o:1"::text
-- $1 = "[[\"x\",\"3\"],[\"y\",\"4\"]]"

select array_to_json(array(
  select "o:6"
  from (
    select "t3"."title" as "title", "o:5" as "author"
    from (
      select "t1"."title", "t1"."author_id", row_number() over () as "o:2"
      from unnest((
        select $1::"public"."article"[]
      )) as "t1"
    ) as "t3"
    left join lateral (
      select "t4"."id" as "id", "t4"."name" as "name"
      from "public"."author" as "t4"
      where "t4"."id" = "t3"."author_id"
    ) as "o:5" on true
    order by "t3"."o:2"
  ) as "o:6"
))
-- $1 = ["(4,x,3,f,1)","(5,y,4,f,1)"]
