-- Undoes run_event_now for events that have not been called since: they are due at their former times again. Returns their ids. Claimed
-- events that may be called are not changed: see cancel_events.
create or replace function joinery.undo_run_now(ids uuid[], times timestamptz[])
returns setof uuid
language sql
as $$
  update joinery.scheduled_events e
  set next_retry_at = case when e.tries > 0 or w.time <> e.schedule_at then w.time end,
    requeued_at = case when e.tries > 0 then e.requeued_at end, lease = null
  from unnest(ids, times) w (id, time)
  where e.id = w.id and e.next_retry_at = e.requeued_at
    and (coalesce(e.lease, 0) = 0 or e.due_at > joinery.event_now() + interval '250 ms')
  returning e.id
$$;
