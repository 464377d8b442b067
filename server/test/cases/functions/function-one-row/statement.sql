select to_json((
  select "o:2"
  from (
    select "t1"."id" as "id", "t1"."title" as "title"
    from "public"."newest"() as "t1"
    where not (("t1".*) is null)
  ) as "o:2"
))
