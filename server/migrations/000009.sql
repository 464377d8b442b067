-- Leases that fence: nothing is claimed under a lease that has expired or that its node has replaced.

-- A draining lease has been replaced by its node. It protects the calls that were under way at that time until their
-- outcomes are written. Nothing is claimed under it.
alter table joinery.event_leases add column draining boolean not null default false;

-- Whether events and actions may be claimed and called under the lease.
create function joinery.lease_is_valid(lease bigint)
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from joinery.event_leases l
    where l.id = lease_is_valid.lease and l.expires_at > clock_timestamp() and not l.draining
  );
end
$$;

-- As 000003 has them, under a valid lease only.

create or replace function joinery.claim_ordered_events(
  holder bigint, ahead interval, most integer, most_each integer, except_lanes text[]
)
returns setof joinery.scheduled_events
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
declare
  soon timestamptz := joinery.event_now() + ahead;
  candidates uuid[];
  taken integer := 0;
  moved integer;
begin
  if not joinery.lease_is_valid(holder) then
    return;
  end if;
  -- A round of nothing but events that must wait is no reason to stop; a hundred of them are, for this time.
  for round in 1..100 loop
    with recursive first as (
      (select e.lane, e.due_at from joinery.scheduled_events e
        where e.lease is null and e.ordering_key is not null order by e.lane, e.due_at limit 1)
      union all
      select next.lane, next.due_at from first cross join lateral (
        select e.lane, e.due_at from joinery.scheduled_events e
        where e.lease is null and e.ordering_key is not null and e.lane > first.lane
        order by e.lane, e.due_at limit 1
      ) next
    ),
    open_lane as materialized (
      select first.lane from first
      where first.due_at <= soon
        and first.lane <> all (except_lanes)
      order by first.due_at
      limit most
    ),
    due as materialized (
      select chosen.id from open_lane cross join lateral (
        select e.id from joinery.scheduled_events e
        where e.lease is null and e.ordering_key is not null
          and e.lane = open_lane.lane and e.due_at <= soon
        order by e.due_at
        limit most_each
        for update of e skip locked
      ) chosen
      limit most
    )
    select array_agg(due.id) into candidates from due;
    exit when candidates is null;

    return query
    update joinery.scheduled_events e set lease = holder
    from unnest(candidates) as candidate (id)
    where e.id = candidate.id
      and not exists (
        select from joinery.scheduled_events f
        where f.ordering_key = e.ordering_key
          and (f.schedule_at, f.created_at, f.id) < (e.schedule_at, e.created_at, e.id)
      )
      and not exists (
        select from joinery.scheduled_events h where h.ordering_key = e.ordering_key and h.lease > 0
      )
    returning e.*;
    get diagnostics moved = row_count;
    taken := taken + moved;

    update joinery.scheduled_events e set lease = 0
    from unnest(candidates) as candidate (id) cross join lateral (
      select e.id from joinery.scheduled_events e where e.id = candidate.id and e.lease is null
    ) waiting cross join lateral (
      (select f.id from joinery.scheduled_events f, joinery.scheduled_events w
        where w.id = waiting.id and f.ordering_key = w.ordering_key
          and (f.schedule_at, f.created_at, f.id) < (w.schedule_at, w.created_at, w.id)
        order by f.ordering_key, f.schedule_at, f.created_at, f.id
        limit 1
        for share of f skip locked)
    ) before
    where e.id = waiting.id;
    get diagnostics moved = row_count;
    exit when moved = 0 or taken >= most;
  end loop;
end
$$;

create or replace function joinery.claim_events(holder bigint, ahead interval, most integer, except_lanes text[])
returns setof joinery.scheduled_events
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
declare
  soon timestamptz := joinery.event_now() + ahead;
begin
  if not joinery.lease_is_valid(holder) then
    return;
  end if;
  -- A claim that is lost when the database crashes is made again; no call waits for the disk.
  perform set_config('synchronous_commit', 'off', true);
  return query
  with due as materialized (
    select e.id from joinery.scheduled_events e
    where e.lease is null
      and e.ordering_key is null
      and e.due_at <= soon
      and e.lane <> all (except_lanes)
    order by e.due_at
    limit most
    for update of e skip locked
  )
  update joinery.scheduled_events e set lease = holder from due where e.id = due.id
  returning e.*;
  if soon >= (
    select e.due_at from joinery.scheduled_events e
    where e.lease is null and e.ordering_key is not null order by e.due_at limit 1
  ) then
    return query select * from joinery.claim_ordered_events(holder, ahead, most, most, except_lanes);
  end if;
end
$$;

create or replace function joinery.claim_events_by_lane(
  holder bigint, ahead interval, most integer, most_each integer, except_lanes text[]
)
returns setof joinery.scheduled_events
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
declare
  soon timestamptz := joinery.event_now() + ahead;
begin
  if not joinery.lease_is_valid(holder) then
    return;
  end if;
  perform set_config('synchronous_commit', 'off', true);
  return query
  with recursive first as (
    (select e.lane, e.due_at from joinery.scheduled_events e
      where e.lease is null and e.ordering_key is null order by e.lane, e.due_at limit 1)
    union all
    select next.lane, next.due_at from first cross join lateral (
      select e.lane, e.due_at from joinery.scheduled_events e
      where e.lease is null and e.ordering_key is null and e.lane > first.lane
      order by e.lane, e.due_at limit 1
    ) next
  ),
  open_lane as materialized (
    select first.lane from first
    where first.due_at <= soon
      and first.lane <> all (except_lanes)
    order by first.due_at
    limit most
  ),
  due as materialized (
    select chosen.id from open_lane cross join lateral (
      select e.id from joinery.scheduled_events e
      where e.lease is null and e.ordering_key is null
        and e.lane = open_lane.lane and e.due_at <= soon
      order by e.due_at
      limit most_each
      for update of e skip locked
    ) chosen
    limit most
  )
  update joinery.scheduled_events e set lease = holder from due where e.id = due.id
  returning e.*;
  if soon >= (
    select e.due_at from joinery.scheduled_events e
    where e.lease is null and e.ordering_key is not null order by e.due_at limit 1
  ) then
    return query select * from joinery.claim_ordered_events(holder, ahead, most, most_each, except_lanes);
  end if;
end
$$;

-- As 000003 has it. The lease of the call may have expired: its outcome is written as long as the event is under it,
-- which means that no other node has claimed the event since. The number of the attempt keeps an outcome from being
-- written twice when the first response of the database was lost. `unlogged`: there is no row of the log.
create or replace function joinery.settle_events(outcomes json, sent_agent text)
returns setof uuid
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
begin
  return query
  with outcome as materialized (
    select * from json_to_recordset(outcomes) as o (
      id uuid, lease bigint, status text, retry_ms double precision, keep boolean,
      attempt integer, started_ms double precision, duration_ms integer, code integer, response json,
      unlogged boolean
    )
  ),
  finished as (
    delete from joinery.scheduled_events e using outcome o
    where o.status is not null and e.id = o.id and e.lease is not distinct from o.lease and e.tries = o.attempt - 1
    -- Dead is what was not called any more.
    returning e.*, o.status as final_status, case when o.status = 'dead' then e.tries else o.attempt end as final_tries
  ),
  processed as (
    insert into joinery.processed_events (
      id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
      tolerance_seconds, comment, created_at, tries, status, ordering_key, retry_policy, trigger_name, delivery
    )
    select f.id, f.webhook, f.schedule_at, f.payload, f.headers, f.num_retries, f.retry_interval_seconds,
      f.timeout_seconds, f.tolerance_seconds, f.comment, f.created_at, f.final_tries, f.final_status,
      f.ordering_key, f.retry_policy, f.trigger_name, f.delivery
    from finished f
    -- Only where somebody inserted an event under an id of old; it must not hold up the others of its batch.
    on conflict (id) do nothing
  ),
  waiting as (
    update joinery.scheduled_events e
    set tries = o.attempt, next_retry_at = to_timestamp(o.retry_ms / 1000), lease = case when o.keep then e.lease end
    from outcome o
    where o.status is null and e.id = o.id and e.lease is not distinct from o.lease and e.tries = o.attempt - 1
    returning e.id
  ),
  settled as materialized (select f.id from finished f union all select w.id from waiting w),
  logged as (
    insert into joinery.event_invocations (
      event_id, attempt, agent, started_at, duration_ms, status, response
    )
    select o.id, o.attempt, sent_agent, to_timestamp(o.started_ms / 1000), o.duration_ms, o.code, o.response
    from outcome o where (o.id in (select s.id from settled s)) is true and o.unlogged is not true
  )
  select o.id from outcome o where o.id not in (select s.id from settled s);
end
$$;
