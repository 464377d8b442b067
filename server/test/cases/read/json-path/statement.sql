select array_to_json(array(
  select "o:2"
  from (
    select "t1"."meta" #> $1::text[] as "meta", "t1"."meta" #> $2::text[] as "kind", "t1"."meta" #> $3::text[] as "deep", "t1"."meta" #> $4::text[] as "number", "t1"."meta" #> $5::text[] as "missing", "t1"."meta" #> $6::text[] as "variable", "t1"."notes" #> $7::text[] as "notes"
    from "public"."article" as "t1"
    where "t1"."id" = $8::int4
  ) as "o:2"
))
-- $1 = ["a","b","1"]
-- $2 = ["kind"]
-- $3 = ["a","b"]
-- $4 = ["n"]
-- $5 = ["x","y"]
-- $6 = ["a","b"]
-- $7 = ["a"]
-- $8 = "1"
