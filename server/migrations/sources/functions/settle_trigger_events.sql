-- Writes the outcomes of calls with their log. `outcomes` is an array of objects with the columns below. With a `status` (delivered,
-- error, dead) the event is final; without one it is free from `retry_ms` on, and remains claimed if `keep`. An event that is not
-- claimed under `lease`, or whose outcome of this attempt is written, is not changed; the ids of those are returned. `unlogged`:
-- there is no row of the log.
create or replace function joinery.settle_trigger_events(outcomes json, sent_agent text)
returns setof uuid
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  ids uuid[];
  numbers integer[];
  seqs bigint[];
  segments integer[];
  batches bigint[];
  leases bigint[];
  statuses text[];
  retries double precision[];
  keeps boolean[];
  attempts integer[];
  unlogged boolean[];
  starts double precision[];
  durations integer[];
  codes integer[];
  requests json[];
  responses json[];
  settled bigint[];
  ended_numbers integer[];
  ended_keys text[];
  one record;
begin
  -- Before any other lock: see remove_trigger.
  perform pg_advisory_xact_lock_shared(1785687922, 1);
  -- Parsed once.
  select array_agg(o.id), array_agg(o.number), array_agg(o.seq), array_agg(o.segment), array_agg(o.batch), array_agg(o.lease),
    array_agg(o.status), array_agg(o.retry_ms), array_agg(o.keep), array_agg(o.attempt), array_agg(o.unlogged),
    array_agg(o.started_ms), array_agg(o.duration_ms), array_agg(o.code), array_agg(o.request), array_agg(o.response)
  into ids, numbers, seqs, segments, batches, leases, statuses, retries, keeps, attempts, unlogged, starts, durations, codes,
    requests, responses
  from json_to_recordset(outcomes) as o (
    id uuid, number integer, seq bigint, segment integer, batch bigint, lease bigint, status text, retry_ms double precision,
    keep boolean, attempt integer, unlogged boolean, started_ms double precision, duration_ms integer, code integer, request json,
    response json
  );
  perform joinery.lock_ordered_triggers(array(
    select distinct o.number from unnest(numbers, batches) as o (number, batch) where o.batch is null
  ));
  perform from joinery.trigger_batches b where b.id = any (batches) order by b.id for update;

  with outcome as materialized (
    select * from unnest(numbers, seqs, batches, leases, statuses, retries, keeps, attempts) with ordinality
      as o (number, seq, batch, lease, status, retry_ms, keep, attempt, place)
    where o.batch is not null
  ),
  open as materialized (
    select b.id, b.number, b.segment, b.lease, u.xid, u.seq, u.place
    from joinery.trigger_batches b cross join lateral unnest(b.xids, b.seqs) with ordinality as u (xid, seq, place)
    where b.id = any (batches)
  ),
  ended as materialized (
    select o.*, b.segment, b.xid from outcome o
    join open b on b.id = o.batch and b.number = o.number and b.seq = o.seq and b.lease = o.lease
    where o.attempt = 1
  ),
  rest as materialized (
    select b.id, array_agg(b.xid order by b.place) filter (where n.seq is null) as xids,
      array_agg(b.seq order by b.place) filter (where n.seq is null) as seqs
    from open b left join ended n on n.batch = b.id and n.seq = b.seq
    group by b.id
  ),
  shrunk as (
    update joinery.trigger_batches b set xids = r.xids, seqs = r.seqs from rest r where b.id = r.id and r.seqs is not null
  ),
  finished_batches as (
    delete from joinery.trigger_batches b using rest r where b.id = r.id and r.seqs is null
  ),
  postponed as (
    insert into joinery.trigger_work (number, seq, segment, xid, lease, tries, due_at)
    select n.number, n.seq, n.segment, n.xid, case when n.keep then n.lease end, n.attempt, to_timestamp(n.retry_ms / 1000)
    from ended n where n.status is null
  )
  select array(select n.place from ended n) into settled;

  if array_position(batches, null) is not null then
    select settled || coalesce(array_agg(w.place), '{}'),
      coalesce(array_agg(w.number order by w.place) filter (where w.ordering_key is not null), '{}'),
      coalesce(array_agg(w.ordering_key order by w.place) filter (where w.ordering_key is not null), '{}')
    into settled, ended_numbers, ended_keys
    from joinery.settle_trigger_work(numbers, seqs, batches, leases, statuses, retries, keeps, attempts) w;

    if cardinality(ended_keys) > 0 then
      perform joinery.free_ordered_events(ended_numbers, ended_keys);
    end if;
  end if;

  for one in
    select distinct o.number, o.segment from unnest(numbers, segments, unlogged) with ordinality as o (number, segment, unlogged, place)
    where o.place = any (settled) and o.unlogged is not true
  loop
    execute format(
      'insert into joinery.trigger_%1$s_log_s%2$s (seq, attempt, agent, started_at, duration_ms, status, outcome, request, response)
      select o.seq, o.attempt, $1, to_timestamp(o.started_ms / 1000), o.duration_ms, o.code, o.status, o.request, o.response
      from unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) with ordinality as o (
        number, segment, unlogged, seq, attempt, started_ms, duration_ms, code, status, request, response, place
      )
      where o.number = %1$s and o.segment = %2$s and o.unlogged is not true and o.place = any ($13)', one.number, one.segment)
    using sent_agent, numbers, segments, unlogged, seqs, attempts, starts, durations, codes, statuses, requests, responses, settled;
  end loop;

  return query
  select o.id from unnest(ids) with ordinality as o (id, place) where not o.place = any (settled);
end
$$;
