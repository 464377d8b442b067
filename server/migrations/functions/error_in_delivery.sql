-- Returns the first error in the request format, or null. Templates are validated by the service.
create or replace function joinery.error_in_delivery(body text, signing jsonb, request_transform json)
returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  unknown text;
begin
  if body not in ('envelope', 'payload') then
    return 'body must be envelope or payload';
  end if;
  if signing is not null and signing not in ('null', 'false') then
    if jsonb_typeof(signing) <> 'object' or jsonb_typeof(signing -> 'key_from_env') is distinct from 'string'
      or (select count(*) from jsonb_object_keys(signing)) <> 1 or signing ->> 'key_from_env' = '' then
      return 'signing must be false, or an object with key_from_env, the name of a variable';
    end if;
    if signing ->> 'key_from_env' ~* '^(JOINERY_|HASURA_GRAPHQL_)' then
      return 'signing.key_from_env names a setting of the service';
    end if;
  end if;
  if json_typeof(request_transform) not in ('object', 'null') then
    return 'request_transform must be an object';
  end if;
  if json_typeof(request_transform) = 'object' then
    select k into unknown from json_object_keys(request_transform) as k
    where k <> all (array['version', 'template_engine', 'method', 'url', 'query_params', 'content_type',
      'request_headers', 'body'])
    limit 1;
    if unknown is not null then
      return format('request_transform.%s: there is no such argument', unknown);
    end if;
  end if;
  return null;
end
$$;
