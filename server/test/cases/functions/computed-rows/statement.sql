select array_to_json(array(
  select "o:7"
  from (
    select "public"."shout"(row("t2"."id", "t2"."name", "t2"."born")::"public"."author") as "shout", array(
      select "o:4"
      from (
        select "t3"."title" as "title"
        from "public"."best"(row("t2"."id", "t2"."name", "t2"."born")::"public"."author", $1::int4) as "t3"
        order by "t3"."id" desc
      ) as "o:4"
    ) as "best", array(
      select "o:6"
      from (
        select "t5"."id" as "id"
        from "public"."best"(row("t2"."id", "t2"."name", "t2"."born")::"public"."author") as "t5"
      ) as "o:6"
    ) as "every"
    from (
      select "t1"."id", "t1"."name", "t1"."born"
      from "public"."author" as "t1"
      order by "t1"."name" desc
      limit 2
    ) as "t2"
    order by "t2"."name" desc
  ) as "o:7"
))
-- $1 = "4"
