-- The backlog and the recent calls of a trigger. Counts at most `most` events and reads at most the last 2,000 blocks of each of the
-- newest logs, whatever the size of the history. Stable, so that all counts are of one snapshot: an event that is claimed meanwhile is
-- counted once.
create or replace function joinery.trigger_statistics(
  number integer, most integer,
  out pending bigint, out is_capped boolean, out retrying bigint, out waiting bigint, out oldest_at timestamptz,
  out last_call_at timestamptz, out calls bigint, out delivered bigint, out failed bigint, out dead bigint,
  out p50 double precision, out p95 double precision, out seconds double precision
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
declare
  wanted constant integer := trigger_statistics.number;
  at joinery.trigger_cursors;
  one record;
  few record;
  lows xid8[];
  highs xid8[];
  -- The transactions after the window that claims read at present.
  later_lows xid8[];
  later_highs xid8[];
  counted bigint;
  since timestamptz;
  durations double precision[] := '{}';
  blocks bigint;
begin
  most := most + 1;
  select count(*), count(*) filter (where w.tries > w.requeued_tries and w.lease is distinct from 0),
    count(*) filter (where w.lease = 0)
  into pending, retrying, waiting
  from (select w.* from joinery.trigger_work w where w.number = wanted limit most) w;
  for one in select w.segment, w.seq, w.xid from joinery.trigger_work w where w.number = wanted order by w.seq limit 1 loop
    execute format('select e.created_at from joinery.trigger_%s_s%s e where e.xid = $1 and e.seq = $2', wanted, one.segment)
    into oldest_at using one.xid, one.seq;
  end loop;
  select pending + coalesce(sum(cardinality(b.seqs)), 0) into pending from joinery.trigger_batches b where b.number = wanted;
  for one in
    select b.segment, b.xids[1] as xid, b.seqs[1] as seq from joinery.trigger_batches b where b.number = wanted order by b.id limit 1
  loop
    execute format('select e.created_at from joinery.trigger_%s_s%s e where e.xid = $1 and e.seq = $2', wanted, one.segment)
    into since using one.xid, one.seq;
    oldest_at := least(oldest_at, since);
  end loop;
  for at in
    select c.* from (values (false), (true)) kind (ordered) cross join lateral (
      select c.* from joinery.trigger_cursors c
      where c.number = wanted and c.ordered = kind.ordered order by c.id desc limit 1
    ) c
    where c.quiet is distinct from (select coalesce(pg_sequence_last_value(t.sequence), 0) from joinery.triggers t where t.number = wanted)
  loop
    lows := array(select x from pg_snapshot_xip(at.claimed) x);
    highs := lows || '18446744073709551615'::xid8;
    lows := lows || pg_snapshot_xmax(at.claimed);
    if at.upto is not null then
      later_lows := array(select x from pg_snapshot_xip(at.upto) x);
      later_highs := later_lows || '18446744073709551615'::xid8;
      later_lows := later_lows || pg_snapshot_xmax(at.upto);
    end if;
    for one in
      select s.segment from joinery.trigger_segments s
      where s.number = wanted and s.ordered = at.ordered and s.drained_at is null order by s.segment
    loop
      exit when pending >= most;
      if at.ordered then
        execute format(
          'select count(*), min(r.created_at) from (
            select e.created_at from joinery.trigger_stamps s
            cross join lateral (
              select e.seq, e.created_at from joinery.trigger_%1$s_s%2$s e
              where e.xid = s.xid and e.seq >= s.first_seq and e.seq <= s.last_seq
            ) e
            where s.number = %1$s and s.segment = %2$s
              and ($1 is null or not pg_visible_in_snapshot(s.xid, $1) or (s.stamp, e.seq) > ($2, $3))
            limit $4
          ) r', wanted, one.segment)
        into counted, since using at.upto, at.stamp, at.seq, most - pending;
      else
        execute format(
          'select count(*), min(r.created_at) from (
            (select e.created_at from unnest($1, $2) as span (low, high)
            cross join lateral (
              select e.created_at from joinery.trigger_%1$s_s%2$s e
              where e.xid >= span.low and e.xid <= span.high and %2$s >= $5
                and ($3 is null or pg_visible_in_snapshot(e.xid, $3))
                and (%2$s > $5 or e.xid >= $6 and (e.xid, e.seq) > ($6, $7))
            ) e
            limit $8)
            union all
            (select e.created_at from unnest($4, $9) as span (low, high)
            cross join lateral (
              select e.created_at from joinery.trigger_%1$s_s%2$s e where e.xid >= span.low and e.xid <= span.high
            ) e
            where $3 is not null
            limit $8)
            limit $8
          ) r', wanted, one.segment)
        into counted, since
        using lows, highs, at.upto, later_lows,
          case when at.upto is null then 0 else at.segment end, case when at.upto is null then '0' else at.xid end,
          case when at.upto is null then 0 else at.seq end, most - pending, later_highs;
      end if;
      pending := pending + counted;
      oldest_at := least(oldest_at, since);
    end loop;
  end loop;
  for one in
    select s.segment from joinery.trigger_segments s
    where s.number = wanted and s.unpack is not null and s.sealed_before is null order by s.segment
  loop
    -- Of an update, rows whose listed columns are equal are counted too.
    execute format(
      'select coalesce(sum(p.rows - p.done), 0), min(p.created_at) from (
        select p.rows, p.done, p.created_at from joinery.trigger_%s_s%s_packed p order by p.seq limit $1
      ) p', wanted, one.segment)
    into counted, since using most;
    pending := pending + counted;
    oldest_at := least(oldest_at, since);
  end loop;
  is_capped := pending >= most;
  pending := least(pending, most - 1);

  calls := 0;
  delivered := 0;
  failed := 0;
  dead := 0;
  seconds := 86400;
  for one in
    select s.segment from joinery.trigger_segments s where s.number = wanted order by s.segment desc limit 20
  loop
    exit when calls >= 10000;
    select greatest(pg_relation_size(to_regclass(format('joinery.trigger_%s_log_s%s', wanted, one.segment)))
      / current_setting('block_size')::bigint - 2000, 0) into blocks;
    -- Rows of a log are in the order of their calls: the last blocks have the last ones.
    execute format(
      'select count(*) filter (where l.recent) as calls, count(*) filter (where l.recent and l.outcome = ''delivered'') as delivered,
        count(*) filter (where l.recent and l.outcome = ''error'') as failed,
        count(*) filter (where l.recent and l.outcome = ''dead'') as dead,
        max(l.created_at) filter (where l.attempt > 0) as last, min(l.created_at) filter (where l.recent) as first,
        array_agg(l.duration_ms::double precision) filter (where l.recent) as durations
      from (
        select l.*, l.attempt > 0 and l.created_at > clock_timestamp() - interval ''1 day'' as recent
        from joinery.trigger_%s_log_s%s l where l.ctid >= ''(%s,0)''
      ) l', wanted, one.segment, blocks)
    into few;
    calls := calls + few.calls;
    delivered := delivered + few.delivered;
    failed := failed + few.failed;
    dead := dead + few.dead;
    last_call_at := greatest(last_call_at, few.last);
    durations := durations || few.durations;
    if blocks > 0 or calls >= 10000 then
      seconds := least(seconds, extract(epoch from clock_timestamp() - few.first));
    end if;
  end loop;
  select percentile_cont(0.5) within group (order by d), percentile_cont(0.95) within group (order by d)
  into p50, p95 from unnest(durations) d;
end
$$;
