with "changed" as (insert into "public"."author" as "o:1" ("name", "bio", "tags") values ($1::text, $2::jsonb, $3::_text) returning "o:1".*) select (
  select count(*)
  from "changed"
), 0, array_to_json(array(
  select "o:4"
  from (
    select "t3"."id" as "id", "t3"."name" as "name", "t3"."tags" as "tags", "t3"."bio" as "bio", "t3"."score" as "score"
    from "changed" as "t3"
  ) as "o:4"
))
-- $1 = "Cy"
-- $2 = "{\"x\":1.1}"
-- $3 = "{\"a\",\"b c\"}"
