insert into "public"."author" as "o:1" ("name") values ($1::text) on conflict on constraint "author_name_key" do update set "name" = excluded."name" returning false, "o:1"::text, "o:1"."id"::text
-- $1 = "Bo"

insert into "public"."article" as "o:1" ("title", "author_id") values ($1::text, $2::int4) returning false, "o:1"::text
-- $1 = "x"
-- $2 = "2"

select to_json((
  select "o:2"
  from (
    select "t1"."title" as "title", "t1"."author_id" as "author_id"
    from unnest((
      select $1::"public"."article"[]
    )) as "t1"
  ) as "o:2"
))
-- $1 = ["(4,x,2,f,1)"]
