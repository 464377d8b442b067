-- The engine of scheduled events: order by key, destinations, retries beyond the four fields, redelivery, retention.

-- The time that events go by: the database's, plus what development mode has advanced it by. The table is empty
-- otherwise.
create table joinery.event_clock (
  id smallint primary key check (id = 1),
  ahead interval not null
);

-- With the rights of its owner: the trigger on inserts asks, too.
create function joinery.event_ahead()
returns interval
language sql stable security definer
set search_path = ''
as $$ select coalesce((select c.ahead from joinery.event_clock c), interval '0') $$;

-- Stable, so that an index can be searched by it.
create function joinery.event_now()
returns timestamptz
language sql stable
as $$ select statement_timestamp() + joinery.event_ahead() $$;

alter table joinery.scheduled_events
  -- Events of one key are delivered one after the other, in the order of schedule_at.
  add ordering_key text check (ordering_key <> ''),
  -- What the retry configuration says beyond the four columns, as the API takes it.
  add retry_policy json,
  -- Redelivered: tolerance counts from here, and the budget of retries from the tries made before.
  add requeued_at timestamptz,
  add requeued_tries integer not null default 0;

alter table joinery.processed_events add ordering_key text, add retry_policy json;

-- What retention and statistics go by.
create index processed_events_processed_at on joinery.processed_events (processed_at);

-- `lease` may be 0: held back. The event is due, an earlier one of its key is not done, and so nobody is to claim it;
-- next_in_order sets it free. That keeps what cannot be delivered out of the indexes that claims go by: ten thousand
-- events behind one that waits for its retry cost nothing.
create index scheduled_events_order on joinery.scheduled_events (ordering_key, schedule_at, created_at, id)
  where ordering_key is not null;
create index scheduled_events_order_due on joinery.scheduled_events (due_at)
  where lease is null and ordering_key is not null;
create index scheduled_events_order_lane on joinery.scheduled_events (lane, due_at)
  where lease is null and ordering_key is not null;
create index scheduled_events_order_held on joinery.scheduled_events (ordering_key, lease)
  where ordering_key is not null and lease is not null;

-- The indexes of the claims that know no keys leave those events out, so that neither claim can take the wrong index.
drop index joinery.scheduled_events_due;
drop index joinery.scheduled_events_lane;
create index scheduled_events_due on joinery.scheduled_events (due_at) where lease is null and ordering_key is null;
create index scheduled_events_lane on joinery.scheduled_events (lane, due_at)
  where lease is null and ordering_key is null;

-- Settings and state of destinations; whoever has no row here has the defaults and a closed circuit.
create table joinery.event_destinations (
  -- Scheme, host and port in lower case; the port left out where it is the scheme's own: https://example.com
  destination text primary key,
  -- Calls at the same time, of all nodes together. Null: the default of each node.
  concurrency integer check (concurrency > 0),
  -- Calls started in a second, by all nodes together. Null: as many as there are.
  rate_per_second double precision check (rate_per_second > 0),
  paused boolean not null default false,
  -- Null: the circuit is closed.
  circuit_opened_at timestamptz,
  -- From then on a node may try one call. It puts the time off by as much as it may take.
  probe_at timestamptz,
  -- Probes that failed, one after the other.
  probes integer not null default 0,
  circuit_reason text
);

-- Tells the nodes to look: '' for events, 'destinations' for what is said of destinations. Where NOTIFY is not to be
-- had, their poll is enough.
create function joinery.wake_event_nodes(what text default '') returns void language plpgsql as $$
begin
  perform pg_catalog.pg_notify('joinery_events', what);
exception when feature_not_supported then
  return;
end
$$;

create function joinery.announce_destinations() returns trigger language plpgsql as $$
begin
  perform joinery.wake_event_nodes('destinations');
  return null;
end
$$;

create trigger announce_destinations after insert or update or delete on joinery.event_destinations
  for each statement execute function joinery.announce_destinations();

-- Frees the first event of a key if it is held back. Runs whenever one that others may wait for is gone, is let go, or
-- has moved to another time: whoever holds an event back has locked the one it waits for, so that none is missed.
create function joinery.next_in_order() returns trigger
language plpgsql
security definer
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  head record;
begin
  select f.id, f.due_at, f.lease into head from joinery.scheduled_events f where f.ordering_key = old.ordering_key
  order by f.ordering_key, f.schedule_at, f.created_at, f.id limit 1;
  if head.lease = 0 then
    update joinery.scheduled_events e set lease = null where e.id = head.id and e.lease is not distinct from 0;
  end if;
  if head.due_at <= joinery.event_now() + interval '5 seconds' then
    perform joinery.wake_event_nodes();
  end if;
  return null;
end
$$;

create trigger next_in_order_deleted after delete on joinery.scheduled_events
  for each row when (old.ordering_key is not null) execute function joinery.next_in_order();

create trigger next_in_order_updated after update of lease, schedule_at, ordering_key on joinery.scheduled_events
  for each row when (
    old.ordering_key is not null and (
      (old.lease > 0 and new.lease is null)
      or old.schedule_at <> new.schedule_at or old.ordering_key is distinct from new.ordering_key
    )
  ) execute function joinery.next_in_order();

-- For what the triggers cannot see, such as a deletion under a snapshot of old: frees every first event of a key that
-- is held back. About 10 us for each key that has events held or held back.
create function joinery.mend_event_order() returns integer
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
declare
  freed integer;
begin
  with recursive keys as (
    (select e.ordering_key from joinery.scheduled_events e
      where e.ordering_key is not null and e.lease is not null order by e.ordering_key limit 1)
    union all
    select next.ordering_key from keys cross join lateral (
      select e.ordering_key from joinery.scheduled_events e
      where e.ordering_key > keys.ordering_key and e.lease is not null order by e.ordering_key limit 1
    ) next
  )
  update joinery.scheduled_events e set lease = null
  from keys cross join lateral (
    select f.id from joinery.scheduled_events f where f.ordering_key = keys.ordering_key
    order by f.ordering_key, f.schedule_at, f.created_at, f.id limit 1
  ) head
  where e.id = head.id and e.lease is not distinct from 0;
  get diagnostics freed = row_count;
  return freed;
end
$$;

-- Claims what has a key: of each key the first event, unless another of the key is under a lease. What must wait is
-- held back. Two claims at the same moment may each take an event of one key that the other does not see yet; that is
-- found when they are confirmed, before they are called.
create function joinery.claim_ordered_events(
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
        and exists (select from joinery.event_leases l where l.id = holder)
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

-- Ways that are switched off count for so much that PostgreSQL would compile each plan to machine code, which takes a
-- hundred times as long as running it; hence jit = off.

-- The claims of before, for events without a key; what has one comes along where some of it is due. The probe is on an
-- index that holds nothing where keys are not used.
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
  -- A claim that is lost when the database crashes is made again; no call waits for the disk.
  perform set_config('synchronous_commit', 'off', true);
  return query
  with due as materialized (
    select e.id from joinery.scheduled_events e
    where e.lease is null
      and e.ordering_key is null
      and e.due_at <= soon
      and e.lane <> all (except_lanes)
      and exists (select from joinery.event_leases l where l.id = holder)
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
      and exists (select from joinery.event_leases l where l.id = holder)
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

-- Writes down what became of calls, outcome and log together. `outcomes` is an array of objects with the columns below;
-- with a status the event is done, without one it waits until `retry_ms`, kept under its lease if `keep`. Times are
-- milliseconds since 1970. An event that is no longer under the lease of its caller (deleted, or taken over) is left
-- alone; the ids of those come back. "is not distinct from" keeps the planner off the index of leases, in which the one
-- lease of a lone node matches everything that is held.
drop function joinery.settle_events(json);
create function joinery.settle_events(outcomes json, sent_agent text)
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
      attempt integer, started_ms double precision, duration_ms integer, code integer, response json
    )
  ),
  finished as (
    delete from joinery.scheduled_events e using outcome o
    where o.status is not null and e.id = o.id and e.lease is not distinct from o.lease
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
    where o.status is null and e.id = o.id and e.lease is not distinct from o.lease
    returning e.id
  ),
  settled as materialized (select f.id from finished f union all select w.id from waiting w),
  logged as (
    insert into joinery.event_invocations (
      event_id, attempt, agent, started_at, duration_ms, status, response
    )
    select o.id, o.attempt, sent_agent, to_timestamp(o.started_ms / 1000), o.duration_ms, o.code, o.response
    from outcome o where (o.id in (select s.id from settled s)) is true
  )
  select o.id from outcome o where o.id not in (select s.id from settled s);
end
$$;

-- As before, but steps from lease to lease, so that what is held back is not read; and a database that was away long
-- enough for all leases to run out gives their holders time to come back.
create or replace function joinery.sweep_events()
returns integer
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
declare
  freed integer;
begin
  if clock_timestamp() < pg_postmaster_start_time() + interval '5 seconds' then
    return 0;
  end if;
  delete from joinery.event_leases l where l.expires_at < clock_timestamp();
  with recursive held as (
    (select e.lease from joinery.scheduled_events e where e.lease > 0 order by e.lease limit 1)
    union all
    select next.lease from held cross join lateral (
      select e.lease from joinery.scheduled_events e where e.lease > held.lease order by e.lease limit 1
    ) next
  )
  update joinery.scheduled_events e set lease = null from held
  where e.lease = held.lease and not exists (select from joinery.event_leases l where l.id = held.lease);
  get diagnostics freed = row_count;
  return freed;
end
$$;

-- Makes processed events pending again, due now and with their budget of retries anew; id, key, log and the count of
-- tries stay. Returns the ids of those that were there.
create function joinery.redeliver_events(ids uuid[])
returns setof uuid
language plpgsql
as $$
declare
  keys json;
begin
  -- A key goes when its event leaves the table of processed ones.
  select json_agg(k) into keys from joinery.event_keys k where k.event_id = any (ids);
  return query
  with gone as (delete from joinery.processed_events p where p.id = any (ids) returning p.*)
  insert into joinery.scheduled_events as e (
    id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
    tolerance_seconds, comment, created_at, tries, next_retry_at, ordering_key, retry_policy, trigger_name,
    delivery, requeued_at, requeued_tries
  )
  select g.id, g.webhook, g.schedule_at, g.payload, g.headers, g.num_retries, g.retry_interval_seconds,
    g.timeout_seconds, g.tolerance_seconds, g.comment, g.created_at, g.tries, joinery.event_now(), g.ordering_key,
    g.retry_policy, g.trigger_name, g.delivery, joinery.event_now(), g.tries
  from gone g
  returning e.id;
  insert into joinery.event_keys select k.* from json_populate_recordset(null::joinery.event_keys, keys) k;
end
$$;

-- Makes a pending event due now. False when there is none, or its call is under way.
create function joinery.run_event_now(event uuid)
returns boolean
language plpgsql
as $$
begin
  update joinery.scheduled_events e
  set next_retry_at = joinery.event_now(), requeued_at = joinery.event_now(), lease = null
  where e.id = event and (coalesce(e.lease, 0) = 0 or e.due_at > joinery.event_now() + interval '250 ms');
  if not found then
    return false;
  end if;
  perform joinery.wake_event_nodes();
  return true;
end
$$;
