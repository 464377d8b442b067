-- Creates or replaces the capture functions of a trigger. `parts` is their SQL, divided where the name of the segment belongs; `packed`
-- and `unpack` are the columns of packed statements and the SQL that reads them, or null; `hash` identifies the definition for the
-- service.
create or replace function joinery.set_trigger_capture(
  number integer, parts text[], ordered boolean, packed text, unpack text[], hash text
)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  known joinery.triggers;
begin
  select * into strict known from joinery.triggers t where t.number = set_trigger_capture.number for update;
  update joinery.triggers t
  set capture = parts, ordered = set_trigger_capture.ordered, packed = set_trigger_capture.packed,
    unpack = set_trigger_capture.unpack, definition_hash = hash, outdated_at = null
  where t.number = known.number;
  if known.capture is null and set_trigger_capture.ordered = known.ordered then
    -- The segment of a new trigger.
    perform joinery.add_packed_statements(known.number, known.segment);
  elsif set_trigger_capture.ordered <> known.ordered or set_trigger_capture.unpack is distinct from known.unpack then
    -- Segments of ordered triggers have stamps, and packed statements have the columns of one definition.
    perform joinery.open_trigger_segment(known.number);
    return;
  end if;
  execute array_to_string(parts, format('joinery.trigger_%s_s%s', known.number, known.segment));
end
$$;
