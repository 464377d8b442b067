-- Claims new events of unordered segments, forward by snapshots: the rows of transactions that have ended between two snapshots,
-- in the order of transactions. A transaction that stays open delays its own events only, and no row is read again once it is
-- claimed. The events become a batch. Returns none while another node claims events of the trigger.
create or replace function joinery.claim_new_trigger_events(holder bigint, number integer, most integer, inline integer)
returns setof joinery.claimed_trigger_event
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
declare
  wanted constant integer := claim_new_trigger_events.number;
  remaining integer := most;
  before joinery.trigger_cursors;
  at joinery.trigger_cursors;
  lows xid8[];
  highs xid8[];
  one integer;
  pending boolean;
  batch bigint;
  claimed integer;
begin
  select * into before from joinery.trigger_cursors c where c.number = wanted and not c.ordered
  order by c.id desc limit 1 for update skip locked;
  if not found then
    return;
  end if;
  at := before;
  pending := before.upto is not null;
  -- The rest of a window, then a new one.
  for round in 1..(case when pending then 2 else 1 end) loop
    if at.upto is null then
      -- Before the snapshot: every event up to this number is of a transaction that the snapshot knows.
      select coalesce(pg_sequence_last_value(t.sequence), 0) into at.quiet from joinery.triggers t where t.number = wanted;
      at.upto := joinery.claim_snapshot();
      if at.quiet <> at.seen then
        at.seen := at.quiet;
        at.seen_before := '0';
      elsif at.seen_before = '0' then
        -- Assigned after an earlier claim read the number, so that transactions with events up to this number have smaller ids. The
        -- end of a snapshot would not do: it is the end of the completed transactions.
        at.seen_before := pg_current_xact_id();
      end if;
      at.segment := 0;
      at.xid := '0';
      at.seq := 0;
    end if;
    -- The transactions that have ended since the last window, one by one, and all that have begun.
    select array_agg(r.low order by r.low), array_agg(r.high order by r.low) into lows, highs from (
      select x as low, x as high from pg_snapshot_xip(at.claimed) x where pg_visible_in_snapshot(x, at.upto)
      union all
      select pg_snapshot_xmax(at.claimed), pg_snapshot_xmax(at.upto)
    ) r;
    for one in
      select s.segment from joinery.trigger_segments s
      where s.number = wanted and not s.ordered and s.segment >= at.segment and s.drained_at is null
      order by s.segment
    loop
      if one <> at.segment then
        at.segment := one;
        at.xid := '0';
        at.seq := 0;
      end if;
      batch := nextval('joinery.trigger_batch');
      return query execute format(
        'with picked as materialized (
          select e.* from (
            select s.high, greatest(s.low, $4) as first, case when s.low > $4 then -1 else $5 end as after
            from unnest($2, $3) as s (low, high)
          ) span
          cross join lateral (
            select e.xid, e.seq, %4$s as id, %2$s
            from joinery.trigger_%1$s_s%3$s e
            cross join lateral (
              select coalesce(octet_length(e.old::text), 0) + coalesce(octet_length(e.new::text), 0) as bytes
            ) size
            -- The only lower bound: of several, the scan of the index may begin at the smallest, which is the start of the segment.
            where (e.xid, e.seq) > (span.first, span.after) and e.xid <= span.high
              and pg_visible_in_snapshot(e.xid, $6)
            order by e.xid, e.seq
            limit $7
          ) e
          where span.high >= $4
          limit $7
        ), added as (
          insert into joinery.trigger_batches (id, number, segment, lease, xids, seqs)
          select $8, %1$s, %3$s, $9, array_agg(p.xid), array_agg(p.seq) from picked p having count(*) > 0
        ), noted as (
          update joinery.triggers t set outdated_at = clock_timestamp()
          where t.number = %1$s and t.outdated_at is null and exists (select from picked p where p.outdated)
        )
        select %1$s, p.seq, %3$s, $8, p.id, p.op, p.old, p.new, p.large, p.outdated, p.session, p.trace, p.ordering_key,
          p.created_at, p.created_ms, p.created_ms, 0, null::double precision, 0, p.bytes
        from picked p', wanted, joinery.trigger_event_columns(), one, joinery.event_id_of('e.seq', wanted))
      using inline, lows, highs, at.xid, at.seq, at.upto, remaining, batch, holder;
      get diagnostics claimed = row_count;
      if claimed > 0 then
        select b.xids[claimed], b.seqs[claimed] into at.xid, at.seq from joinery.trigger_batches b where b.id = batch;
        remaining := remaining - claimed;
      end if;
      exit when remaining <= 0;
    end loop;
    exit when remaining <= 0;
    -- The window is complete.
    at.claimed := at.upto;
    at.upto := null;
    if at.seen_before = '0' or pg_snapshot_xmin(at.claimed) < at.seen_before then
      at.quiet := null;
    end if;
  end loop;
  if remaining <= 0 then
    at.quiet := null;
  end if;
  -- An empty window is not worth a row, unless the next would have to read many transactions.
  if remaining = most and at.upto is null and not pending and at.quiet is not distinct from before.quiet
    and at.seen = before.seen and at.seen_before = before.seen_before
    and pg_snapshot_xmax(at.claimed)::text::bigint - pg_snapshot_xmax(before.claimed)::text::bigint < 10000
  then
    return;
  end if;
  delete from joinery.trigger_cursors c where c.number = wanted and not c.ordered and c.id = before.id;
  insert into joinery.trigger_cursors (number, ordered, claimed, upto, segment, xid, seq, seen, seen_before, quiet)
  values (wanted, false, at.claimed, at.upto, at.segment, at.xid, at.seq, at.seen, at.seen_before, at.quiet);
end
$$;
