insert into "public"."author" as "o:1" ("name", "visits", "owner", "score") values ($1::text, $2::int4, $3::int4, $4::numeric) returning to_json((
  select "o:3"
  from (
    select "t2"."name" as "name", "t2"."owner" as "owner", "t2"."score" as "score"
    from (
      select "o:1".*
    ) as "t2"
  ) as "o:3"
)), case when (("o:1"."visits" < $5::int4) is not true) then pg_catalog.concat('the check of a permission has failed')::int8 else 0 end
-- $1 = "Cy"
-- $2 = "3"
-- $3 = "1"
-- $4 = "7"
-- $5 = "100"
