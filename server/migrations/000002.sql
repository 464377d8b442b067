-- One-off scheduled events: what is pending, what is done, each call that was made, and who delivers.

-- One row for each node that delivers. An event points to the lease under which a node holds it; a node that no longer
-- renews its lease has lost its events. No foreign key: an event whose lease is gone is swept up, which is cheaper
-- than a check for each claimed row.
create table joinery.event_leases (
  id bigint generated always as identity primary key,
  node text not null,
  taken_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);

-- Pending events and nothing else, so that claiming does not slow down with history. A plain
--   insert into joinery.scheduled_events (webhook, schedule_at, payload) values (...)
-- in the user's own transaction schedules one; the defaults do the rest.
create table joinery.scheduled_events (
  id uuid primary key default gen_random_uuid(),
  webhook text not null check (webhook <> ''),
  schedule_at timestamptz not null check (isfinite(schedule_at)),
  payload json not null default 'null',
  headers json not null default '[]' check (json_typeof(headers) = 'array'),
  num_retries integer not null default 0 check (num_retries >= 0),
  retry_interval_seconds integer not null default 10 check (retry_interval_seconds >= 0),
  timeout_seconds integer not null default 60 check (timeout_seconds > 0),
  tolerance_seconds integer not null default 21600 check (tolerance_seconds >= 0),
  comment text,
  created_at timestamptz not null default now(),
  -- Calls made so far.
  tries integer not null default 0,
  next_retry_at timestamptz,
  -- The holder's row in event_leases. Null: free to claim. Whoever changes a pending event sets it to null.
  lease bigint,
  due_at timestamptz not null generated always as (coalesce(next_retry_at, schedule_at)) stored,
  -- What stands before the path: the destination, as far as it shows before templates are filled in.
  lane text not null generated always as (left(substring(webhook from '^(?:[^/?#]*//)?[^/?#]*'), 255)) stored,
  payload_bytes integer not null generated always as (octet_length(payload::text)) stored
);

create index scheduled_events_due on joinery.scheduled_events (due_at) where lease is null;
create index scheduled_events_lane on joinery.scheduled_events (lane, due_at) where lease is null;
create index scheduled_events_lease on joinery.scheduled_events (lease) where lease is not null;

-- Every event leaves this table dead twice over (claimed, then delivered); the default of a fifth of the table would
-- let the front of the queue fill with dead rows when a million events wait for next year.
alter table joinery.scheduled_events set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);

create table joinery.processed_events (
  id uuid primary key,
  webhook text not null,
  schedule_at timestamptz not null,
  payload json not null,
  headers json not null,
  num_retries integer not null,
  retry_interval_seconds integer not null,
  timeout_seconds integer not null,
  tolerance_seconds integer not null,
  comment text,
  created_at timestamptz not null,
  tries integer not null,
  status text not null check (status in ('delivered', 'error', 'dead')),
  processed_at timestamptz not null default clock_timestamp()
);

create index processed_events_schedule_at on joinery.processed_events (schedule_at);

-- One row for each call, and for the verdict that an event came too late to be called. What was sent is not copied
-- here: it follows from the event.
create table joinery.event_invocations (
  id uuid not null default gen_random_uuid(),
  event_id uuid not null,
  -- 1 for the first call.
  attempt integer not null,
  -- The User-Agent that was sent.
  agent text not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- Null when no answer came.
  status integer,
  response json not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (event_id, id)
);

create index event_invocations_created_at on joinery.event_invocations (created_at);

-- The three statements of the delivery's busy path are functions for the sake of their plans: the tables swing between
-- empty and a million rows, and a plan made for the one is ruin for the other. Under these settings the planner has no
-- choice but the indexes, and plpgsql keeps the plan.

-- Puts free events that are due before `ahead` from now under the lease, the earliest first, at most `most` of them,
-- none of the lanes in `except_lanes`. Nothing while the lease itself is gone.
create function joinery.claim_events(holder bigint, ahead interval, most integer, except_lanes text[])
returns setof joinery.scheduled_events
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  -- A claim that is lost when the database crashes is made again; no call waits for the disk.
  perform set_config('synchronous_commit', 'off', true);
  return query
  with due as materialized (
    select e.id from joinery.scheduled_events e
    where e.lease is null
      and e.due_at <= statement_timestamp() + ahead
      and e.lane <> all (except_lanes)
      and exists (select from joinery.event_leases l where l.id = holder)
    order by e.due_at
    limit most
    for update of e skip locked
  )
  update joinery.scheduled_events e set lease = holder from due where e.id = due.id
  returning e.*;
end
$$;

-- The same with at most `most_each` from each lane: it steps from lane to lane through the index, so that the backlog
-- of one lane costs the others nothing, however long it is. About 10 us for each lane that has pending events.
create function joinery.claim_events_by_lane(
  holder bigint, ahead interval, most integer, most_each integer, except_lanes text[]
)
returns setof joinery.scheduled_events
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
  with recursive first as (
    (select e.lane, e.due_at from joinery.scheduled_events e
      where e.lease is null order by e.lane, e.due_at limit 1)
    union all
    select next.lane, next.due_at from first cross join lateral (
      select e.lane, e.due_at from joinery.scheduled_events e
      where e.lease is null and e.lane > first.lane order by e.lane, e.due_at limit 1
    ) next
  ),
  open_lane as materialized (
    select first.lane from first
    where first.due_at <= statement_timestamp() + ahead
      and first.lane <> all (except_lanes)
      and exists (select from joinery.event_leases l where l.id = holder)
    order by first.due_at
    limit most
  ),
  due as materialized (
    select chosen.id from open_lane cross join lateral (
      select e.id from joinery.scheduled_events e
      where e.lease is null and e.lane = open_lane.lane and e.due_at <= statement_timestamp() + ahead
      order by e.due_at
      limit most_each
      for update of e skip locked
    ) chosen
    limit most
  )
  update joinery.scheduled_events e set lease = holder from due where e.id = due.id
  returning e.*;
end
$$;

-- Writes down what became of calls, outcome and log together. `outcomes` is an array of objects with the columns below;
-- with a status the event is done, without one it waits for `next_retry_at`, kept under its lease if `keep`. An event
-- that is no longer under the lease of its caller (deleted, or taken over) is left alone; the ids of those come back.
create function joinery.settle_events(outcomes json)
returns setof uuid
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
  with outcome as materialized (
    select * from json_to_recordset(outcomes) as o (
      id uuid, lease bigint, status text, tries integer, next_retry_at timestamptz, keep boolean,
      attempt integer, agent text, started_at timestamptz, duration_ms integer, code integer, response json
    )
  ),
  finished as (
    delete from joinery.scheduled_events e using outcome o
    where o.status is not null and e.id = o.id and e.lease = o.lease
    returning e.*, o.status as final_status, o.tries as final_tries
  ),
  processed as (
    insert into joinery.processed_events (
      id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
      tolerance_seconds, comment, created_at, tries, status
    )
    select f.id, f.webhook, f.schedule_at, f.payload, f.headers, f.num_retries, f.retry_interval_seconds,
      f.timeout_seconds, f.tolerance_seconds, f.comment, f.created_at, f.final_tries, f.final_status
    from finished f
    -- Only where somebody inserted an event under an id of old; it must not hold up the others of its batch.
    on conflict (id) do nothing
  ),
  waiting as (
    update joinery.scheduled_events e
    set tries = o.tries, next_retry_at = o.next_retry_at, lease = case when o.keep then e.lease end
    from outcome o
    where o.status is null and e.id = o.id and e.lease = o.lease
    returning e.id
  ),
  settled as materialized (select f.id from finished f union all select w.id from waiting w),
  logged as (
    insert into joinery.event_invocations (
      event_id, attempt, agent, started_at, duration_ms, status, response
    )
    select o.id, o.attempt, o.agent, o.started_at, o.duration_ms, o.code, o.response
    from outcome o where (o.id in (select s.id from settled s)) is true
  )
  select o.id from outcome o where o.id not in (select s.id from settled s);
end
$$;

-- Drops leases that have run out and frees what is held under leases that are not there. Returns how many events that
-- were.
create function joinery.sweep_events()
returns integer
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  freed integer;
begin
  delete from joinery.event_leases l where l.expires_at < clock_timestamp();
  update joinery.scheduled_events e set lease = null
  from (select distinct h.lease from joinery.scheduled_events h where h.lease is not null) held
  where e.lease = held.lease and not exists (select from joinery.event_leases l where l.id = held.lease);
  get diagnostics freed = row_count;
  return freed;
end
$$;

-- Wakes the nodes for events that are due before their next poll. Where NOTIFY is not to be had, the poll is enough.
create function joinery.announce_events() returns trigger language plpgsql as $$
begin
  if exists (select from inserted where due_at <= clock_timestamp() + interval '5 seconds') then
    perform pg_catalog.pg_notify('joinery_events', '');
  end if;
  return null;
exception when feature_not_supported then
  return null;
end
$$;

create trigger announce_events after insert on joinery.scheduled_events
  referencing new table as inserted
  for each statement execute function joinery.announce_events();
