select array_to_json(array(
  select "o:6"."json"
  from (
    select json_build_object('a_response_key_that_is_longer_than_postgres_lets_the_name_of_a_column_be_1', "t1"."name", 'a_response_key_that_is_longer_than_postgres_lets_the_name_of_a_column_be_2', "t1"."name", 'a_response_key_that_is_longer_than_postgres_lets_the_name_of_a_column_be_3', "o:3"."json", 'a_response_key_that_is_longer_than_postgres_lets_the_name_of_a_column_be_5', (
      select "o:5"."json"
      from (
        select json_build_object('a_response_key_that_is_longer_than_postgres_lets_the_name_of_a_column_be_6', json_build_object('a_response_key_that_is_longer_than_postgres_lets_the_name_of_a_column_be_7', count(*))) as "json"
        from "public"."article" as "t4"
        where "t4"."author_id" = "t1"."id"
      ) as "o:5"
    )) as "json"
    from "public"."author" as "t1"
    left join lateral (
      select json_build_object('a_response_key_that_is_longer_than_postgres_lets_the_name_of_a_column_be_4', "t2"."name") as "json"
      from "public"."author" as "t2"
      where "t2"."id" = "t1"."mentor_id"
      limit 1
    ) as "o:3" on true
    order by "t1"."id"
    limit 2
  ) as "o:6"
))
