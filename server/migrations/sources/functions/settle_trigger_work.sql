-- Writes the outcomes of events in trigger_work. Returns their places in the arrays; the trigger and the key of ordered events that
-- have ended. A function of its own, so that rows are found by the primary key and not by a hash of all rows of a trigger.
create or replace function joinery.settle_trigger_work(
  numbers integer[], seqs bigint[], batches bigint[], leases bigint[], statuses text[], retries double precision[], keeps boolean[],
  attempts integer[], out place bigint, out number integer, out ordering_key text
)
returns setof record
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
begin
  return query
  with outcome as materialized (
    select * from unnest(numbers, seqs, batches, leases, statuses, retries, keeps, attempts) with ordinality
      as o (number, seq, batch, lease, status, retry_ms, keep, attempt, place)
    where o.batch is null
  ),
  finished as (
    delete from joinery.trigger_work w using outcome o
    where o.batch is null and o.status is not null
      and w.number = o.number and w.seq = o.seq and w.lease is not distinct from o.lease and w.tries = o.attempt - 1
    returning o.place, w.number, w.ordering_key
  ),
  waiting as (
    update joinery.trigger_work w
    set tries = o.attempt, due_at = to_timestamp(o.retry_ms / 1000), lease = case when o.keep then w.lease end
    from outcome o
    where o.batch is null and o.status is null
      and w.number = o.number and w.seq = o.seq and w.lease is not distinct from o.lease and w.tries = o.attempt - 1
    returning o.place
  )
  select f.place, f.number, f.ordering_key from finished f
  union all select w.place, null::integer, null::text from waiting w;
end
$$;
