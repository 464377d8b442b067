-- Deletes expired leases, frees the events that are claimed under leases that do not exist, and returns their number. Waits after a
-- start of the database, so that the nodes can renew leases that expired while it did not run. Searches for claims without a lease
-- only after it has deleted leases, and in some seconds of each minute for nodes that died while they ended a lease: an open transaction
-- may keep the old versions of all claims.
create or replace function joinery.sweep_trigger_events()
returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  freed integer := 0;
  one bigint;
begin
  if clock_timestamp() < pg_postmaster_start_time() + interval '5 seconds' then
    return 0;
  end if;
  delete from joinery.source_leases l where l.expires_at < clock_timestamp();
  if not found and extract(second from clock_timestamp()) >= 5 then
    return 0;
  end if;
  for one in
    with recursive worked as (
      (select w.lease from joinery.trigger_work w where w.lease > 0 order by w.lease limit 1)
      union all
      select next.lease from worked cross join lateral (
        select w.lease from joinery.trigger_work w where w.lease > worked.lease order by w.lease limit 1
      ) next
    )
    select h.lease from (
      select w.lease from worked w union select b.lease from joinery.trigger_batches b
    ) h
    where not exists (select from joinery.source_leases l where l.id = h.lease)
    order by 1
  loop
    freed := freed + joinery.release_trigger_events(one, '{}', '{}', false);
  end loop;
  return freed;
end
$$;
