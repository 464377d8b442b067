select array_to_json(array(
  select "o:2"."json"
  from (
    select ('{' || left(right(json_build_object('a0', "t1"."id", 'a1', "t1"."id", 'a2', "t1"."id", 'a3', "t1"."id", 'a4', "t1"."id", 'a5', "t1"."id", 'a6', "t1"."id", 'a7', "t1"."id", 'a8', "t1"."id", 'a9', "t1"."id", 'a10', "t1"."id", 'a11', "t1"."id", 'a12', "t1"."id", 'a13', "t1"."id", 'a14', "t1"."id", 'a15', "t1"."id", 'a16', "t1"."id", 'a17', "t1"."id", 'a18', "t1"."id", 'a19', "t1"."id", 'a20', "t1"."id", 'a21', "t1"."id", 'a22', "t1"."id", 'a23', "t1"."id", 'a24', "t1"."id", 'a25', "t1"."id", 'a26', "t1"."id", 'a27', "t1"."id", 'a28', "t1"."id", 'a29', "t1"."id", 'a30', "t1"."id", 'a31', "t1"."id", 'a32', "t1"."id", 'a33', "t1"."id", 'a34', "t1"."id", 'a35', "t1"."id", 'a36', "t1"."id", 'a37', "t1"."id", 'a38', "t1"."id", 'a39', "t1"."id", 'a40', "t1"."id", 'a41', "t1"."id", 'a42', "t1"."id", 'a43', "t1"."id", 'a44', "t1"."id", 'a45', "t1"."id", 'a46', "t1"."id", 'a47', "t1"."id", 'a48', "t1"."id", 'a49', "t1"."id")::text, -1), -1) || ',' || left(right(json_build_object('a50', "t1"."id", 'a51', "t1"."id", 'a52', "t1"."id", 'a53', "t1"."id", 'a54', "t1"."id", 'a55', "t1"."id", 'a56', "t1"."id", 'a57', "t1"."id", 'a58', "t1"."id", 'a59', "t1"."id", 'a60', "t1"."id", 'a61', "t1"."id", 'a62', "t1"."id", 'a63', "t1"."id", 'a64', "t1"."id", 'a65', "t1"."id", 'a66', "t1"."id", 'a67', "t1"."id", 'a68', "t1"."id", 'a69', "t1"."id", 'a_response_key_that_is_longer_than_postgres_lets_the_name_of_a_column_be', "t1"."name")::text, -1), -1) || '}')::json as "json"
    from "public"."author" as "t1"
    where "t1"."id" = $1::int4
  ) as "o:2"
))
-- $1 = "1"
