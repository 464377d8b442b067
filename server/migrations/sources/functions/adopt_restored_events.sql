-- Moves the events without an outcome of the segments that were opened before `restored` to trigger_work, and begins to claim
-- anew after these segments. No transaction writes to them any more.
create or replace function joinery.adopt_restored_events(number integer, restored timestamptz)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant integer := adopt_restored_events.number;
  place joinery.trigger_cursors;
  one joinery.trigger_segments;
begin
  for one in
    select s.* from joinery.trigger_segments s where s.number = wanted and s.opened_at < restored and s.drained_at is null
    order by s.segment
  loop
    select * into place from joinery.trigger_cursors c where c.number = wanted and c.ordered = one.ordered
    order by c.id desc limit 1;
    if one.ordered then
      -- Stamps of claimed transactions have been deleted. The last one may be claimed in part.
      execute format(
        'insert into joinery.trigger_work (number, seq, segment, xid, lease, ordering_key, stamp)
        select %1$s, e.seq, %2$s, e.xid, case when e.ordering_key is not null then 0 end, e.ordering_key, s.stamp
        from joinery.trigger_stamps s
        join joinery.trigger_%1$s_s%2$s e on e.xid = s.xid and e.seq >= s.first_seq and e.seq <= s.last_seq
        where s.number = %1$s and s.segment = %2$s
          and not ($1 is not null and s.stamp = $2 and e.seq <= $3)
        on conflict do nothing', wanted, one.segment)
      using place.upto, place.stamp, place.seq;
    else
      -- What the cursor sees has been claimed; other events are pending. An event of this cluster has a number after those that
      -- the cursor has seen.
      execute format(
        'insert into joinery.trigger_work (number, seq, segment, xid)
        select %1$s, e.seq, %2$s, e.xid from joinery.trigger_%1$s_s%2$s e
        where (
            e.seq > $5
            or not (
              pg_visible_in_snapshot(e.xid, $1)
              or $2 is not null and pg_visible_in_snapshot(e.xid, $2) and (%2$s, e.xid, e.seq) <= ($3, $4, $6)
            )
          )
          and not exists (select from joinery.trigger_%1$s_log_s%2$s l where l.seq = e.seq)
          and not exists (
            select from joinery.trigger_batches b where b.number = %1$s and b.segment = %2$s and e.seq = any (b.seqs)
          )
        on conflict do nothing', wanted, one.segment)
      using place.claimed, place.upto, place.segment, place.xid, place.seen, place.seq;
    end if;
  end loop;
  delete from joinery.trigger_stamps s
  using joinery.trigger_segments g
  where s.number = wanted and g.number = wanted and g.segment = s.segment and g.opened_at < restored;
  update joinery.trigger_segments s set drained_at = clock_timestamp()
  where s.number = wanted and s.opened_at < restored and s.drained_at is null;
  delete from joinery.trigger_cursors c where c.number = wanted;
  insert into joinery.trigger_cursors (number, ordered, claimed)
  select wanted, s.ordered, '1:1:' from (select distinct g.ordered from joinery.trigger_segments g where g.number = wanted) s;
  perform joinery.free_ordered_events(array_agg(w.number), array_agg(w.ordering_key))
  from (select distinct w.number, w.ordering_key from joinery.trigger_work w where w.number = wanted and w.ordering_key is not null) w;
end
$$;
