with "changed" as (update "public"."author" as "o:1" set "name" = $1::text, "visits" = "o:1"."visits" + $2::int4, "score" = "o:1"."score" + $3::numeric where "o:1"."id" = $4::int4 returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:4"
  from (
    select "t3"."name" as "name", "t3"."visits" as "visits", "t3"."score" as "score"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "Anna"
-- $2 = "2"
-- $3 = "0.25"
-- $4 = "1"
