-- Returns the value of the column `delivery`; null for the default format.
create or replace function joinery.written_delivery(body text, signing jsonb, request_transform json)
returns json
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select json_object_agg(m.key, m.value) from (
    select 'body' as key, to_json(written_delivery.body) as value where written_delivery.body = 'payload'
    union all select 'signing', signing::json where signing <> 'null'
    union all select 'request_transform', request_transform where json_typeof(request_transform) <> 'null'
  ) m
$$;
