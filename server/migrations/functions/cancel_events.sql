-- Cancels pending events: moves them to the processed events and returns their ids. Claimed events that are being called, or may be called
-- before their node confirms the claim again, are not changed.
create or replace function joinery.cancel_events(ids uuid[])
returns setof uuid
language sql
as $$
  with gone as (
    delete from joinery.scheduled_events e
    where e.id = any (ids) and (coalesce(e.lease, 0) = 0 or e.due_at > joinery.event_now() + interval '250 ms')
    returning e.*
  )
  insert into joinery.processed_events (
    id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
    tolerance_seconds, comment, created_at, tries, status, trigger_name, ordering_key, retry_policy, delivery
  )
  select g.id, g.webhook, g.schedule_at, g.payload, g.headers, g.num_retries, g.retry_interval_seconds,
    g.timeout_seconds, g.tolerance_seconds, g.comment, g.created_at, g.tries, 'cancelled', g.trigger_name,
    g.ordering_key, g.retry_policy, g.delivery
  from gone g
  on conflict (id) do nothing
  returning id
$$;
