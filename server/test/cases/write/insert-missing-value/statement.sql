with "changed" as (insert into "public"."author" as "o:1" ("visits") values ($1::int4) returning "o:1".*) select (
  select count(*)
  from "changed"
), 0
-- $1 = "1"
