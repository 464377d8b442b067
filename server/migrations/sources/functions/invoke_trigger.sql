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
  execute format(
    'insert into joinery.trigger_%s_s%s (op, new, session, trace, stamping) values (''m'', $1, $2, $3, $4) returning seq',
    known.number, known.segment)
  into added
  using payload, session, trace, nullif(known.ordered, false);
  perform pg_notify('joinery_triggers', known.number::text);
  return joinery.event_id(known.number, added);
end
$$;
