update "public"."author" as "o:1" set "name" = $1::text
where "o:1"."id" = $2::int4 returning to_json((
  select "o:3"
  from (
    select "t2"."id" as "id", "t2"."name" as "name"
    from (
      select "o:1".*
    ) as "t2"
  ) as "o:3"
)), 0
-- $1 = "Bob"
-- $2 = "2"

update "public"."author" as "o:1" set "name" = $1::text
where "o:1"."id" = $2::int4 returning to_json((
  select "o:3"
  from (
    select "t2"."id" as "id"
    from (
      select "o:1".*
    ) as "t2"
  ) as "o:3"
)), 0
-- $1 = "Bob"
-- $2 = "99"
