-- Deletes expired leases, releases the events of missing leases and returns their number. Does nothing shortly after the start of the
-- database, so that nodes can renew leases that expired while it was not reachable. Reads one event of each lease, and no blocked events.
create or replace function joinery.sweep_events()
returns integer
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
declare
  freed integer;
begin
  if clock_timestamp() < pg_postmaster_start_time() + interval '5 seconds' then
    return 0;
  end if;
  delete from joinery.event_leases l where l.expires_at < clock_timestamp();
  with recursive held as (
    (select e.lease from joinery.scheduled_events e where e.lease > 0 order by e.lease limit 1)
    union all
    select next.lease from held cross join lateral (
      select e.lease from joinery.scheduled_events e where e.lease > held.lease order by e.lease limit 1
    ) next
  )
  update joinery.scheduled_events e set lease = null from held
  where e.lease = held.lease and not exists (select from joinery.event_leases l where l.id = held.lease);
  get diagnostics freed = row_count;
  return freed;
end
$$;
