insert into "public"."author" as "o:1" ("name", "visits", "owner", "score") values ($1::text, $2::int4, $3::int4, $4::numeric) on conflict on constraint "author_name_key" do update set "visits" = excluded."visits", "bio" = $5::jsonb
where "o:1"."owner" = $3::int4 returning to_json((
  select "o:3"
  from (
    select "t2"."name" as "name"
    from (
      select "o:1".*
    ) as "t2"
  ) as "o:3"
)), case when (("o:1"."visits" < $6::int4) is not true or (("o:1"."xmax"::text <> '0') and ("o:1"."visits" < $7::int4) is not true)) then 1 else 0 end
-- $1 = "Cy"
-- $2 = "60"
-- $3 = "1"
-- $4 = "7"
-- $5 = "{\"by\":\"user\"}"
-- $6 = "100"
-- $7 = "50"

insert into "public"."author" as "o:1" ("name", "visits", "owner", "score") values ($1::text, $2::int4, $3::int4, $4::numeric) on conflict on constraint "author_name_key" do update set "visits" = excluded."visits", "bio" = $5::jsonb
where "o:1"."owner" = $3::int4 returning to_json((
  select "o:3"
  from (
    select "t2"."name" as "name"
    from (
      select "o:1".*
    ) as "t2"
  ) as "o:3"
)), case when (("o:1"."visits" < $6::int4) is not true or (("o:1"."xmax"::text <> '0') and ("o:1"."visits" < $7::int4) is not true)) then 1 else 0 end
-- $1 = "Ann"
-- $2 = "60"
-- $3 = "1"
-- $4 = "7"
-- $5 = "{\"by\":\"user\"}"
-- $6 = "100"
-- $7 = "50"
