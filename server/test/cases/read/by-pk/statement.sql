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
  select "o:6"
  from (
    select "t5"."Number" as "number", "t5"."volume no." as "volume", "t5"."group" as "group"
    from "press"."Printed Issue" as "t5"
    where "t5"."Number" = $3::int4 and "t5"."volume no." = $4::int4
  ) as "o:6"
))
-- $1 = "1"
-- $2 = "99"
-- $3 = "1"
-- $4 = "2"
