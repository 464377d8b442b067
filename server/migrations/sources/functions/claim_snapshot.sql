-- The current snapshot, in which this transaction runs. Without it pg_visible_in_snapshot takes events that the transaction has made of
-- packed statements as those of a transaction that has ended.
create or replace function joinery.claim_snapshot()
returns pg_snapshot
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  snapshot pg_snapshot := pg_current_snapshot();
  own xid8 := pg_current_xact_id_if_assigned();
begin
  if own is null or own >= pg_snapshot_xmax(snapshot) then
    return snapshot;
  end if;
  return (
    select format('%s:%s:%s', min(r.xid::text::bigint), pg_snapshot_xmax(snapshot), string_agg(r.xid::text, ',' order by r.xid))
    from (select x as xid from pg_snapshot_xip(snapshot) x union select own) r
  )::pg_snapshot;
end
$$;
