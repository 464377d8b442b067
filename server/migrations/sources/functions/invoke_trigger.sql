-- Adds a manual event and returns its id.
create or replace function joinery.invoke_trigger(number integer, payload json, session text, trace text)
returns uuid
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  known joinery.triggers;
  added bigint;
begin
  -- The segment remains the current one until the event is written.
  select * into strict known from joinery.triggers t where t.number = invoke_trigger.number for share;
  if known.ordered then
    added := nextval(known.sequence);
    perform joinery.note_ordered_events(known.number, known.segment, 0, added, added);
  end if;
  execute format(
    'insert into joinery.trigger_%s_s%s (seq, op, new, session, trace, stamping)
    values (coalesce($1, nextval(%L)), ''m'', $2, $3, $4, $5) returning seq', known.number, known.segment, known.sequence)
  into added
  using added, payload, session, trace, nullif(known.ordered, false);
  perform pg_notify('joinery_triggers', known.number::text);
  return joinery.event_id(known.number, added);
end
$$;
