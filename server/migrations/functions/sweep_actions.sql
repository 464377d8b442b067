-- Deletes expired leases, releases the actions of missing leases and returns their number. Does nothing shortly after the start of the
-- database, so that nodes can renew leases that expired while it was not reachable.
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
