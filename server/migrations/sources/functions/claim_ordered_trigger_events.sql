-- Claims new events of ordered segments by the stamps of their transactions, in windows between two snapshots. Within a window, and
-- from one window to the next, the events of a key are read in commit order. Each becomes a row of trigger_work: the first of its
-- key is claimed, the others wait. Of a trigger with a debounce all wait until the end of their window, and only the last of a key
-- becomes a row: see debounce_trigger_events. The caller has locked the trigger, so that no outcome is written at the same time.
create or replace function joinery.claim_ordered_trigger_events(holder bigint, number integer, most integer, inline integer)
returns setof joinery.claimed_trigger_event
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  wanted constant integer := claim_ordered_trigger_events.number;
  remaining integer := most;
  before joinery.trigger_cursors;
  at joinery.trigger_cursors;
  one record;
  last record;
  window_ms integer := (select t.debounce_ms from joinery.triggers t where t.number = claim_ordered_trigger_events.number);
  found_any boolean := false;
begin
  select * into before from joinery.trigger_cursors c where c.number = wanted and c.ordered
  order by c.id desc limit 1 for update skip locked;
  if not found then
    return;
  end if;
  at := before;
  if at.upto is null then
    select coalesce(pg_sequence_last_value(t.sequence), 0) into at.quiet from joinery.triggers t where t.number = wanted;
    at.upto := pg_current_snapshot();
    if at.quiet <> at.seen then
      at.seen := at.quiet;
      at.seen_before := '0';
    elsif at.seen_before = '0' then
      -- Assigned after an earlier claim read the number, so that transactions with events up to this number have smaller ids. The
      -- end of a snapshot would not do: it is the end of the completed transactions.
      at.seen_before := pg_current_xact_id();
    end if;
    -- The first stamp of the window: smaller ones have been claimed, and may be dead rows that vacuum cannot remove yet.
    select min(s.stamp) into at.stamp from (
      select x as low, x as high from pg_snapshot_xip(at.claimed) x where pg_visible_in_snapshot(x, at.upto)
      union all
      select pg_snapshot_xmax(at.claimed), pg_snapshot_xmax(at.upto)
    ) span
    cross join lateral (
      select s.stamp from joinery.trigger_stamps s
      where s.number = wanted and s.xid >= span.low and s.xid <= span.high and pg_visible_in_snapshot(s.xid, at.upto)
    ) s;
    at.stamp := coalesce(at.stamp, 9223372036854775807);
    at.seq := 0;
  end if;
  -- Events that wait cost a round, and are not counted as claimed.
  for round in 1..20 loop
    -- Some stamps of one segment, in order.
    with next as materialized (
      select s.* from joinery.trigger_stamps s
      where s.number = wanted and s.stamp >= at.stamp and pg_visible_in_snapshot(s.xid, at.upto)
      order by s.stamp limit remaining
    )
    select min(n.segment) as segment, array_agg(n.stamp order by n.stamp) as stamps, array_agg(n.xid order by n.stamp) as xids,
      array_agg(n.first_seq order by n.stamp) as firsts, array_agg(n.last_seq order by n.stamp) as lasts
    into one
    from next n
    where n.stamp < coalesce(
      (select min(o.stamp) from next o where o.segment <> (select f.segment from next f order by f.stamp limit 1)),
      9223372036854775807
    );
    if one.stamps is null then
      -- The window is complete.
      at.claimed := at.upto;
      at.upto := null;
      exit;
    end if;
    if window_ms is not null then
      select * into last
      from joinery.debounce_trigger_events(
        wanted, one.segment, one.stamps, one.xids, one.firsts, one.lasts, at.stamp, at.seq, remaining, holder, window_ms
      );
    else execute format(
      'with events as materialized (
        select e.*, stamped.stamp from unnest($1, $2, $3, $4) as stamped (stamp, xid, first, last)
        cross join lateral (
          select e.xid, e.seq, e.ordering_key, e.op from joinery.trigger_%1$s_s%2$s e
          where e.xid = stamped.xid and e.seq >= stamped.first and e.seq <= stamped.last
            and (stamped.stamp > $5 or e.seq > $6)
          order by e.seq limit $7
        ) e
        limit $7
      ), ranked as (
        select e.*, row_number() over (partition by e.ordering_key order by e.stamp, e.seq) as rank from events e
      ), added as (
        insert into joinery.trigger_work (number, seq, segment, xid, lease, ordering_key, stamp)
        select %1$s, r.seq, %2$s, r.xid,
          case
            when r.ordering_key is null then $8
            when r.rank > 1 then 0
            -- Not `exists`, which may be planned as a hash of all rows of the trigger.
            when (
              select true from joinery.trigger_work w where w.number = %1$s and w.ordering_key = r.ordering_key limit 1
            ) then 0
            else $8
          end,
          r.ordering_key, r.stamp
        from ranked r
        returning seq, xid, lease, stamp
      )
      select (select count(*) from events) as fetched,
        (select bool_or(e.op in (''I'', ''U'', ''D'')) from events e) as outdated, max(a.stamp) as stamp, (array_agg(a.seq order by a.stamp desc, a.seq desc))[1] as seq,
        array_agg(a.seq) filter (where a.lease > 0) as seqs, array_agg(a.xid) filter (where a.lease > 0) as xids_claimed
      from added a', wanted, one.segment)
    into last
    using one.stamps, one.xids, one.firsts, one.lasts, at.stamp, at.seq, remaining, holder;
    end if;
    found_any := true;
    if last.outdated then
      update joinery.triggers t set outdated_at = clock_timestamp() where t.number = wanted and t.outdated_at is null;
    end if;
    if last.seqs is not null then
      return query select * from joinery.trigger_work_events(wanted, one.segment, last.seqs, last.xids_claimed, inline);
      remaining := remaining - cardinality(last.seqs);
    end if;
    if last.fetched > 0 then
      at.stamp := last.stamp;
      at.seq := last.seq;
    end if;
    if last.fetched < remaining + coalesce(cardinality(last.seqs), 0) then
      -- All events of these stamps were read.
      at.stamp := one.stamps[cardinality(one.stamps)] + 1;
      at.seq := 0;
    end if;
    delete from joinery.trigger_stamps s
    where s.number = wanted and s.stamp = any (one.stamps) and s.stamp < at.stamp;
    exit when remaining <= 0;
  end loop;
  if at.upto is not null or at.seen_before = '0' or pg_snapshot_xmin(at.claimed) < at.seen_before then
    at.quiet := null;
  end if;
  if at.upto is null and before.upto is null and not found_any and at.quiet is not distinct from before.quiet
    and at.seen = before.seen and at.seen_before = before.seen_before
    and pg_snapshot_xmax(at.claimed)::text::bigint - pg_snapshot_xmax(before.claimed)::text::bigint < 10000
  then
    return;
  end if;
  delete from joinery.trigger_cursors c where c.number = wanted and c.ordered and c.id = before.id;
  insert into joinery.trigger_cursors (number, ordered, claimed, upto, stamp, seq, seen, seen_before, quiet)
  values (wanted, true, at.claimed, at.upto, at.stamp, at.seq, at.seen, at.seen_before, at.quiet);
end
$$;
