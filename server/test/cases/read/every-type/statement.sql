select array_to_json(array(
  select "o:2"
  from (
    select "t1"."id" as "id", "t1"."author_id" as "author_id", "t1"."title" as "title", "t1"."status" as "status", "t1"."rating" as "rating", "t1"."words" as "words", "t1"."published_at" as "published_at", "t1"."meta" as "meta", "t1"."notes" as "notes", "t1"."tags" as "tags", "t1"."scores" as "scores", "t1"."slug" as "slug", "t1"."validity" as "validity", "t1"."source" as "source", "t1"."reading" as "reading", "t1"."cover" as "cover", "t1"."path" as "path", "t1"."at" as "at"
    from "public"."article" as "t1"
    order by "t1"."id"
  ) as "o:2"
))
