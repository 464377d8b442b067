-- The rows of one event as JSON text. No row if the event does not exist any more.
create or replace function joinery.trigger_event_rows(
  number integer, segment integer, seq bigint, out old text, out new text
)
returns setof record
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
begin
  return query execute format('select e.old::text, e.new::text from joinery.trigger_%s_s%s e where e.seq = $1', number, segment)
  using seq;
end
$$;
