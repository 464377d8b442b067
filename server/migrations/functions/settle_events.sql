-- Writes the outcomes of calls with their log entries. `outcomes` is an array of objects with the columns below: with a status the event
-- ends, without one it waits until `retry_ms`, claimed under its lease if `keep`. Times are milliseconds since 1970. `unlogged`: no log
-- entry is written. Returns the ids of events whose claim was lost. The lease of the call may have expired: its outcome is written as long
-- as the event is under it, which means that no other node has claimed the event since. The number of the attempt prevents that an outcome
-- is written twice when the first response of the database was lost.
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
  -- Outcomes that all end their events need neither an update of waiting events nor the check of conflicts row by row.
  if position('"retry_ms"' in outcomes::text) = 0 then
    begin
      return query
      with outcome as materialized (
        select * from json_to_recordset(outcomes) as o (
          id uuid, lease bigint, status text, attempt integer, started_ms double precision, duration_ms integer,
          code integer, request json, response json, unlogged boolean
        )
      ),
      finished as (
        delete from joinery.scheduled_events e using outcome o
        where o.status is not null and e.id = o.id and e.lease is not distinct from o.lease and e.tries = o.attempt - 1
        returning e.id, e.webhook, e.schedule_at, e.payload, e.headers, e.num_retries, e.retry_interval_seconds,
          e.timeout_seconds, e.tolerance_seconds, e.comment, e.created_at, e.ordering_key, e.retry_policy,
          e.trigger_name, e.delivery, o.status as final_status,
          case when o.status = 'dead' then e.tries else o.attempt end as final_tries,
          o.attempt, o.started_ms, o.duration_ms, o.code, o.request, o.response, o.unlogged
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
      ),
      logged as (
        insert into joinery.event_invocations (
          event_id, attempt, agent, started_at, duration_ms, status, request, response
        )
        select f.id, f.attempt, sent_agent, to_timestamp(f.started_ms / 1000), f.duration_ms, f.code, f.request, f.response
        from finished f where f.unlogged is not true
      )
      select o.id from outcome o where o.id not in (select f.id from finished f);
      return;
    exception when unique_violation then
      -- An event has the id of a processed one: nothing of the block is written, and the statement below writes all outcomes.
    end;
  end if;
  return query
  with outcome as materialized (
    select * from json_to_recordset(outcomes) as o (
      id uuid, lease bigint, status text, retry_ms double precision, keep boolean,
      attempt integer, started_ms double precision, duration_ms integer, code integer, request json,
      response json, unlogged boolean
    )
  ),
  finished as (
    delete from joinery.scheduled_events e using outcome o
    where o.status is not null and e.id = o.id and e.lease is not distinct from o.lease and e.tries = o.attempt - 1
    -- Dead events were not called again.
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
    -- An event with an id of an earlier one, inserted with SQL, must not block the others of its batch.
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
      event_id, attempt, agent, started_at, duration_ms, status, request, response
    )
    select o.id, o.attempt, sent_agent, to_timestamp(o.started_ms / 1000), o.duration_ms, o.code, o.request, o.response
    from outcome o where (o.id in (select s.id from settled s)) is true and o.unlogged is not true
  )
  select o.id from outcome o where o.id not in (select s.id from settled s);
end
$$;
