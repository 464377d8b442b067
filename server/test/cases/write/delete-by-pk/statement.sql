delete
from "public"."article" as "o:1"
where "o:1"."id" = $1::int4 returning to_json((
  select "o:3"
  from (
    select "t2"."title" as "title"
    from (
      select "o:1".*
    ) as "t2"
  ) as "o:3"
)), 0
-- $1 = "1"

delete
from "public"."article" as "o:1"
where "o:1"."id" = $1::int4 returning to_json((
  select "o:3"
  from (
    select "t2"."title" as "title"
    from (
      select "o:1".*
    ) as "t2"
  ) as "o:3"
)), 0
-- $1 = "99"
