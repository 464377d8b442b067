-- Returns the first error in a list of headers, or null.
create or replace function joinery.error_in_headers(headers jsonb)
returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  header jsonb;
  place integer := 0;
begin
  if jsonb_typeof(headers) is distinct from 'array' then
    return 'headers must be a list of {name, value} or {name, value_from_env}';
  end if;
  if jsonb_array_length(headers) > 100 then
    return 'headers must have at most 100 elements';
  end if;
  for header in select jsonb_array_elements(headers) loop
    if jsonb_typeof(header) <> 'object' or jsonb_typeof(header -> 'name') is distinct from 'string' then
      return format('headers[%s] must be an object with a name and a value or value_from_env', place);
    end if;
    if header ->> 'name' !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]+$' then
      return format('headers[%s].name must be an HTTP header name', place);
    end if;
    if header ->> 'name' ~* '^(content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer)$' then
      return format('headers[%s].name is a header that the service sets itself; leave it out', place);
    end if;
    if (select count(*) from jsonb_object_keys(header)) <> 2
      or (header ? 'value') = (header ? 'value_from_env')
      or jsonb_typeof(coalesce(header -> 'value', header -> 'value_from_env')) <> 'string' then
      return format('headers[%s] must have a value or a value_from_env, which is a string, and nothing else', place);
    end if;
    if header ->> 'value' ~ '[\r\n]' then
      return format('headers[%s].value must not contain a line break', place);
    end if;
    if header ->> 'value' !~ '^[\t\x20-\x7e\u0080-\u00ff]*$' then
      return format('headers[%s].value must consist of Latin characters that can be printed', place);
    end if;
    if header ->> 'value_from_env' = '' then
      return format('headers[%s].value_from_env must not be empty', place);
    end if;
    if header ->> 'value_from_env' ~* '^(JOINERY_|HASURA_GRAPHQL_)' then
      return format('headers[%s].value_from_env names a setting of the service', place);
    end if;
    place := place + 1;
  end loop;
  return null;
end
$$;
