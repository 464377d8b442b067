-- Drops leases that have run out and frees what is held under leases that are not there. Returns how many actions that
-- were. A database that was away long enough for all leases to run out gives their holders time to come back first.
create or replace function joinery.sweep_actions()
returns integer
language plpgsql
as $$
declare
  freed integer;
begin
  if clock_timestamp() < pg_postmaster_start_time() + interval '5 seconds' then
    return 0;
  end if;
  delete from joinery.event_leases l where l.expires_at < clock_timestamp();
  update joinery.action_log a set status = 'created', lease = null
  where a.lease is not null and not exists (select from joinery.event_leases l where l.id = a.lease);
  get diagnostics freed = row_count;
  return freed;
end
$$;
