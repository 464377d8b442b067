-- Frees claimed events without an outcome, so that any node can claim them. `chosen`: the events of these numbers; otherwise all
-- under the lease but these.
create or replace function joinery.release_trigger_events(
  holder bigint, numbers integer[], seqs bigint[], chosen boolean
)
returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  freed integer;
  more integer;
begin
  -- Before any other lock: see remove_trigger.
  perform pg_advisory_xact_lock_shared(1785687922, 1);
  perform from joinery.trigger_batches b where b.lease = holder order by b.id for update;
  with open as materialized (
    select b.id, b.number, b.segment, u.xid, u.seq, u.place, (g.seq is not null) = chosen as free
    from joinery.trigger_batches b
    cross join lateral unnest(b.xids, b.seqs) with ordinality as u (xid, seq, place)
    left join unnest(release_trigger_events.numbers, release_trigger_events.seqs) as g (number, seq) on g.number = b.number and g.seq = u.seq
    where b.lease = holder
  ),
  rest as materialized (
    select o.id, array_agg(o.xid order by o.place) filter (where not o.free) as xids,
      array_agg(o.seq order by o.place) filter (where not o.free) as seqs
    from open o group by o.id having bool_or(o.free)
  ),
  shrunk as (
    update joinery.trigger_batches b set xids = r.xids, seqs = r.seqs from rest r where b.id = r.id and r.seqs is not null
  ),
  finished as (
    delete from joinery.trigger_batches b using rest r where b.id = r.id and r.seqs is null
  )
  insert into joinery.trigger_work (number, seq, segment, xid)
  select o.number, o.seq, o.segment, o.xid from open o where o.free;
  get diagnostics freed = row_count;
  update joinery.trigger_work w set lease = null
  where w.lease = holder
    and chosen = exists (select from unnest(release_trigger_events.numbers, release_trigger_events.seqs) as g (number, seq) where g.number = w.number and g.seq = w.seq);
  get diagnostics more = row_count;
  return freed + more;
end
$$;
