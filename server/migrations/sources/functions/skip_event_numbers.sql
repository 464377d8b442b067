-- Leaves a gap in the numbers of the events of all triggers.
create or replace function joinery.skip_event_numbers()
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  one joinery.triggers;
  captured bigint;
begin
  for one in select t.* from joinery.triggers t loop
    -- Sequences are not replicated with the rows by logical replication.
    execute format('select coalesce(max(e.seq), 0) from joinery.trigger_%s_s%s e', one.number, one.segment) into captured;
    perform setval(one.sequence, greatest(captured, coalesce(pg_sequence_last_value(one.sequence), 0)) + 1000000);
  end loop;
end
$$;
