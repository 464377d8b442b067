create or replace function joinery.reject(message text)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if message is not null then
    raise exception '%', message using errcode = 'invalid_parameter_value';
  end if;
end
$$;
