-- Undoes redeliver_events for events that have not been called since: moves them to the processed events with their former statuses, and
-- returns their ids. Claimed events that may be called are not changed: see cancel_events.
create or replace function joinery.undo_redelivery(ids uuid[], statuses text[])
returns setof uuid
language sql
as $$
  with wanted as (select w.id, w.status from unnest(ids, statuses) w (id, status)),
  gone as (
    delete from joinery.scheduled_events e
    using wanted w
    where e.id = w.id and e.requeued_at is not null and e.tries = e.requeued_tries and e.next_retry_at = e.requeued_at
      and (coalesce(e.lease, 0) = 0 or e.due_at > joinery.event_now() + interval '250 ms')
    returning e.*, w.status as former
  )
  insert into joinery.processed_events (
    id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
    tolerance_seconds, comment, created_at, tries, status, trigger_name, ordering_key, retry_policy, delivery
  )
  select g.id, g.webhook, g.schedule_at, g.payload, g.headers, g.num_retries, g.retry_interval_seconds,
    g.timeout_seconds, g.tolerance_seconds, g.comment, g.created_at, g.tries, g.former, g.trigger_name,
    g.ordering_key, g.retry_policy, g.delivery
  from gone g
  on conflict (id) do nothing
  returning id
$$;
