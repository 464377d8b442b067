-- Frees the first waiting event of each key of which no event is free or claimed. It is due at its time, which has passed but for
-- the window of a debounce. The triggers are locked.
create or replace function joinery.free_ordered_events(numbers integer[], keys text[])
returns void
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
  update joinery.trigger_work w set lease = null
  from (select distinct k.number, k.key from unnest(numbers, keys) as k (number, key)) k
  cross join lateral (
    select f.seq from joinery.trigger_work f
    where f.number = k.number and f.ordering_key = k.key
    order by f.stamp, f.seq limit 1
  ) head
  where w.number = k.number and w.seq = head.seq and w.lease = 0
    and not exists (
      select from joinery.trigger_work o
      where o.number = k.number and o.ordering_key = k.key and o.lease is distinct from 0
    );
end
$$;
