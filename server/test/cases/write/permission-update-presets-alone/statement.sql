with "changed" as (update "public"."article" as "o:1" set "published" = true returning "o:1".*) select (
  select count(*)
  from "changed"
), 0
