with "changed" as (insert into "public"."author" as "o:1" ("name", "visits", "owner", "score") values ($1::text, $2::int4, $3::int4, $4::numeric) returning "o:1".*) select (
  select count(*)
  from "changed"
), (
  select count(*)
  from "changed" as "t2"
  where (("t2"."visits" < $5::int4) is not true)
), to_json((
  select "o:4"
  from (
    select "t3"."name" as "name", "t3"."owner" as "owner", "t3"."score" as "score"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "Cy"
-- $2 = "3"
-- $3 = "1"
-- $4 = "7"
-- $5 = "100"
