with "changed" as (update "public"."author" as "o:1" set "bio" = "o:1"."bio" || $1::jsonb where "o:1"."id" = $2::int4 returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:4"
  from (
    select "t3"."bio" as "bio"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "{\"z\":1}"
-- $2 = "1"

with "changed" as (update "public"."author" as "o:1" set "bio" = "o:1"."bio" - $1::text where "o:1"."id" = $2::int4 returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:4"
  from (
    select "t3"."bio" as "bio"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "c"
-- $2 = "1"

with "changed" as (update "public"."author" as "o:1" set "bio" = $1::jsonb || "o:1"."bio" where "o:1"."id" = $2::int4 returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:4"
  from (
    select "t3"."bio" as "bio"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "[0]"
-- $2 = "2"

with "changed" as (update "public"."author" as "o:1" set "bio" = "o:1"."bio" - $1::int4 where "o:1"."id" = $2::int4 returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:4"
  from (
    select "t3"."bio" as "bio"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "-1"
-- $2 = "2"

with "changed" as (update "public"."author" as "o:1" set "bio" = "o:1"."bio" #- $1::text[] where "o:1"."id" = $2::int4 returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:4"
  from (
    select "t3"."bio" as "bio"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "{\"a\",\"b\",\"0\"}"
-- $2 = "1"
