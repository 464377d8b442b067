select to_json((
  select "o:2"
  from (
    select "t1"."name" as "name"
    from "public"."author" as "t1"
    where "t1"."id" = $1::int4
  ) as "o:2"
)), to_json((
  select "o:4"
  from (
    select "t3"."name" as "name"
    from "public"."author" as "t3"
    where "t3"."id" = $2::int4
  ) as "o:4"
)), to_json((
  select "o:10"
  from (
    select "t5"."name" as "name", "o:7" as "mentor", array(
      select "o:9"
      from (
        select "t8"."title" as "title"
        from "public"."article" as "t8"
        where "t8"."author_id" = "t5"."id"
        limit 1
      ) as "o:9"
    ) as "articles"
    from "public"."author" as "t5"
    left join lateral (
      select "t6"."name" as "name"
      from "public"."author" as "t6"
      where "t6"."id" = "t5"."mentor_id"
    ) as "o:7" on true
    where "t5"."id" = $3::int4
  ) as "o:10"
)), to_json((
  select "o:12"
  from (
    select "t11"."Number" as "number", "t11"."volume no." as "volume", "t11"."group" as "group"
    from "press"."Printed Issue" as "t11"
    where "t11"."Number" = $4::int4 and "t11"."volume no." = $5::int4
  ) as "o:12"
))
-- $1 = "1"
-- $2 = "99"
-- $3 = "4"
-- $4 = "1"
-- $5 = "2"
