-- Frees the first event of a key if it is blocked. Runs when an event that others may wait for was deleted, released or rescheduled. The
-- statement that blocks an event locks the event that it waits for, so that none is missed.
create or replace function joinery.next_in_order() returns trigger
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
