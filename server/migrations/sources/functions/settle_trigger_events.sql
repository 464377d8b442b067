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
  settled bigint[];
  ended_numbers integer[];
  ended_keys text[];
  one record;
begin
  -- Before any other lock: see remove_trigger.
  perform pg_advisory_xact_lock_shared(1785687922, 1);
  perform joinery.lock_ordered_triggers(array(
    select distinct (o ->> 'number')::integer from json_array_elements(outcomes) o where o ->> 'batch' is null
  ));
  perform from joinery.trigger_batches b
  where b.id = any (array(select (o ->> 'batch')::bigint from json_array_elements(outcomes) o))
  order by b.id for update;

  with outcome as materialized (
    select e.place, o.* from json_array_elements(outcomes) with ordinality as e (element, place)
    cross join lateral json_to_record(e.element) as o (
      number integer, seq bigint, batch bigint, lease bigint, status text, retry_ms double precision, keep boolean, attempt integer
    )
  ),
  open as materialized (
    select b.id, b.number, b.segment, b.lease, u.xid, u.seq, u.place
    from joinery.trigger_batches b cross join lateral unnest(b.xids, b.seqs) with ordinality as u (xid, seq, place)
    where b.id = any (array(select o.batch from outcome o where o.batch is not null))
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

  select settled || coalesce(array_agg(w.place), '{}'),
    coalesce(array_agg(w.number order by w.place) filter (where w.ordering_key is not null), '{}'),
    coalesce(array_agg(w.ordering_key order by w.place) filter (where w.ordering_key is not null), '{}')
  into settled, ended_numbers, ended_keys
  from joinery.settle_trigger_work(outcomes) w;

  if cardinality(ended_keys) > 0 then
    perform joinery.free_ordered_events(ended_numbers, ended_keys);
  end if;

  for one in
    select o.number, o.segment, json_agg(e.element) as outcomes
    from json_array_elements(outcomes) with ordinality as e (element, place)
    cross join lateral json_to_record(e.element) as o (number integer, segment integer, unlogged boolean)
    where e.place = any (settled) and o.unlogged is not true
    group by o.number, o.segment
  loop
    execute format(
      'insert into joinery.trigger_%s_log_s%s (seq, attempt, agent, started_at, duration_ms, status, outcome, request, response)
      select o.seq, o.attempt, $2, to_timestamp(o.started_ms / 1000), o.duration_ms, o.code, o.status, o.request, o.response
      from json_to_recordset($1) as o (
        seq bigint, attempt integer, started_ms double precision, duration_ms integer, code integer, status text,
        request json, response json
      )', one.number, one.segment)
    using one.outcomes, sent_agent;
  end loop;

  return query
  select (e.element ->> 'id')::uuid from json_array_elements(outcomes) with ordinality as e (element, place)
  where not e.place = any (settled);
end
$$;
