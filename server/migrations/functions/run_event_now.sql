-- Makes a pending event due now. Returns false if there is no such event or it is being called.
create or replace function joinery.run_event_now(event uuid)
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
