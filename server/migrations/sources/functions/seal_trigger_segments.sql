-- Advances closed segments: notes the transactions that may still write to one, seals it when they have ended and no packed statement
-- is left, and marks it as drained when all its events have been claimed. Runs in a transaction of its own. Returns the number of
-- drained segments.
create or replace function joinery.seal_trigger_segments()
returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  drained integer;
begin
  perform pg_advisory_xact_lock(1785687922, 0);
  -- A transaction that begins after the commit of open_trigger_segment uses the new capture functions.
  update joinery.trigger_segments s
  set writers = array(
    select l.virtualtransaction from pg_locks l
    where l.locktype = 'virtualxid' and l.granted and l.pid <> pg_backend_pid()
  )
  where s.closed_at is not null and s.writers is null;
  update joinery.trigger_segments s set sealed_before = pg_snapshot_xmax(pg_current_snapshot())
  where s.writers is not null and s.sealed_before is null
    and not exists (
      select from pg_locks l where l.locktype = 'virtualxid' and l.granted and l.virtualtransaction = any (s.writers)
    )
    and not joinery.has_packed_statements(s.number, s.segment);
  update joinery.trigger_segments s set drained_at = clock_timestamp()
  where s.sealed_before is not null and s.drained_at is null
    and (
      select c.upto is null and (
        pg_snapshot_xmin(c.claimed) >= s.sealed_before
        or c.quiet = (select coalesce(pg_sequence_last_value(t.sequence), 0) from joinery.triggers t where t.number = s.number)
      )
      from joinery.trigger_cursors c where c.number = s.number and c.ordered = s.ordered order by c.id desc limit 1
    )
    and not exists (select from joinery.trigger_stamps t where t.number = s.number and t.segment = s.segment)
    -- The ids of transactions may be of another cluster: see adopt_database.
    and not exists (
      select from joinery.source_identity i
      where i.server_started is distinct from pg_postmaster_start_time() or i.restored_at is not null
    );
  get diagnostics drained = row_count;
  return drained;
end
$$;
