-- Adds new events of a trigger with a debounce: the last of each key waits until the end of the window that began when the first
-- event of the key was found. Earlier events of the key that no node has claimed end as `superseded`, with a row in the log and without
-- a call; those that are claimed, retried or redelivered do not, and the last one waits behind them. Events without a key are claimed.
-- The parameters and results are those of the statement in claim_ordered_trigger_events.
create or replace function joinery.debounce_trigger_events(
  wanted integer, segment integer, stamps bigint[], xids xid8[], firsts bigint[], lasts bigint[], after_stamp bigint,
  after_seq bigint, most integer, holder bigint, window_ms integer, out fetched bigint, out outdated boolean, out stamp bigint,
  out seq bigint, out seqs bigint[], out xids_claimed xid8[]
)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  added_seqs bigint[];
  added_xids xid8[];
  added_stamps bigint[];
  keys text[];
  ended_seqs bigint[];
  ended_segments integer[];
  waiting_keys text[];
  waiting_until timestamptz[];
  one integer;
begin
  execute format(
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
      select e.*, e.ordering_key is null or row_number() over (partition by e.ordering_key order by e.stamp desc, e.seq desc) = 1 as last
      from events e
    )
    select count(*), bool_or(r.op in (''I'', ''U'', ''D'')), max(r.stamp), (array_agg(r.seq order by r.stamp desc, r.seq desc))[1],
      array_agg(r.seq order by r.stamp, r.seq) filter (where r.last), array_agg(r.xid order by r.stamp, r.seq) filter (where r.last),
      array_agg(r.stamp order by r.stamp, r.seq) filter (where r.last),
      array_agg(r.ordering_key order by r.stamp, r.seq) filter (where r.last),
      coalesce(array_agg(r.seq) filter (where not r.last), ''{}'')
    from ranked r', wanted, segment)
  into fetched, outdated, stamp, seq, added_seqs, added_xids, added_stamps, keys, ended_seqs
  using stamps, xids, firsts, lasts, after_stamp, after_seq, most;
  ended_segments := array_fill(segment, array[cardinality(ended_seqs)]);
  -- A statement of its own: it waits for a claim of the row by another node, and the next one sees the result.
  with superseded as (
    delete from joinery.trigger_work w using unnest(keys) as k (key)
    where w.number = wanted and w.ordering_key = k.key and w.tries = 0 and w.requeued_at is null
      and (w.lease is null or w.lease = 0)
    returning w.ordering_key, w.seq, w.segment, w.due_at
  )
  select ended_seqs || coalesce(array_agg(s.seq), '{}'), ended_segments || coalesce(array_agg(s.segment), '{}'),
    array_agg(s.ordering_key), array_agg(s.due_at)
  into ended_seqs, ended_segments, waiting_keys, waiting_until
  from superseded s;
  with added as (
    insert into joinery.trigger_work (number, seq, segment, xid, lease, due_at, ordering_key, stamp)
    select wanted, a.seq, debounce_trigger_events.segment, a.xid,
      case
        when a.key is null then holder
        when (select true from joinery.trigger_work w where w.number = wanted and w.ordering_key = a.key limit 1) then 0
      end,
      case
        when a.key is null then clock_timestamp()
        else coalesce(
          (select min(u.until) from unnest(waiting_keys, waiting_until) as u (key, until) where u.key = a.key),
          clock_timestamp() + window_ms * interval '1 ms'
        )
      end,
      a.key, a.stamp
    from unnest(added_seqs, added_xids, added_stamps, keys) as a (seq, xid, stamp, key)
    returning trigger_work.seq, trigger_work.xid, trigger_work.lease
  )
  select array_agg(a.seq) filter (where a.lease > 0), array_agg(a.xid) filter (where a.lease > 0) into seqs, xids_claimed
  from added a;
  for one in select distinct s from unnest(ended_segments) s loop
    execute format(
      'insert into joinery.trigger_%s_log_s%s (seq, attempt, agent, started_at, duration_ms, outcome)
      select e.seq, 0, '''', clock_timestamp(), 0, ''superseded'' from unnest($1, $2) as e (seq, segment) where e.segment = $3',
      wanted, one)
    using ended_seqs, ended_segments, one;
  end loop;
end
$$;
