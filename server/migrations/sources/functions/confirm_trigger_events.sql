-- The numbers of those events that are still claimed under the lease, while it is valid. `batches`: as claimed. Batches are read by
-- their ids: an open transaction may keep the old versions of all others.
create or replace function joinery.confirm_trigger_events(
  holder bigint, numbers integer[], seqs bigint[], batches bigint[], out number integer, out seq bigint
)
returns setof record
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
begin
  if not joinery.source_lease_is_valid(holder) then
    return;
  end if;
  return query
  select g.number, g.seq from unnest(confirm_trigger_events.numbers, confirm_trigger_events.seqs) as g (number, seq)
  where exists (
      select from joinery.trigger_work w where w.number = g.number and w.seq = g.seq and w.lease is not distinct from holder
    )
  union
  select b.number, u.seq from joinery.trigger_batches b cross join lateral unnest(b.seqs) as u (seq)
  where b.id = any (array(select distinct k from unnest(confirm_trigger_events.batches) k where k is not null))
    and b.lease = holder and (b.number, u.seq) in (select * from unnest(confirm_trigger_events.numbers, confirm_trigger_events.seqs));
end
$$;
