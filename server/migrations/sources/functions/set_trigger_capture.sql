-- Creates or replaces the capture functions of a trigger. `parts` is their SQL, divided where the name of the segment belongs; `hash`
-- identifies the definition for the service.
create or replace function joinery.set_trigger_capture(number integer, parts text[], ordered boolean, hash text)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  known joinery.triggers;
begin
  select * into strict known from joinery.triggers t where t.number = set_trigger_capture.number for update;
  update joinery.triggers t set capture = parts, ordered = set_trigger_capture.ordered, definition_hash = hash, outdated_at = null
  where t.number = known.number;
  if set_trigger_capture.ordered <> known.ordered then
    -- Segments of ordered triggers have stamps.
    perform joinery.open_trigger_segment(known.number);
  else
    execute array_to_string(parts, format('joinery.trigger_%s_s%s', known.number, known.segment));
  end if;
end
$$;
