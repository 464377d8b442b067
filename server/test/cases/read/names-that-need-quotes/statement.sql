select array_to_json(array(
  select "o:2"
  from (
    select "t1"."Number" as "number", "t1"."volume no." as "volume", "t1"."group" as "group"
    from "press"."Printed Issue" as "t1"
    where "t1"."group" is not null
    order by "t1"."volume no." desc, "t1"."Number" desc
  ) as "o:2"
)), to_json((
  select "o:4"
  from (
    select json_build_object('max', json_build_object('number', "max"("t3"."Number"), 'group', "max"("t3"."group"))) as "aggregate"
    from "press"."Printed Issue" as "t3"
  ) as "o:4"
))
