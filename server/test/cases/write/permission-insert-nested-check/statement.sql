insert into "public"."author" as "o:1" ("name", "visits", "owner", "score") values ($1::text, $2::int4, $3::int4, $4::numeric) returning (("o:1"."visits" < $5::int4) is not true), "o:1"::text, "o:1"."id"::text
-- $1 = "Cy"
-- $2 = "200"
-- $3 = "1"
-- $4 = "7"
-- $5 = "100"
