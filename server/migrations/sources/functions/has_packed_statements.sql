-- Whether statements of the segment wait for unpack_trigger_events. Stable: it sees what the statement that calls it sees.
create or replace function joinery.has_packed_statements(number integer, segment integer)
returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  packed regclass := to_regclass(format('joinery.trigger_%s_s%s_packed', number, segment));
  found_any boolean := false;
begin
  if packed is not null then
    execute format('select exists (select from %s)', packed) into found_any;
  end if;
  return found_any;
end
$$;
