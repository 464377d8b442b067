-- Advances the clock of events. Events that are due after that are on time.
create or replace function joinery.advance_event_clock(seconds double precision)
returns void
language plpgsql
as $$
declare
  before timestamptz := joinery.event_now();
begin
  insert into joinery.event_clock as c (id, ahead) values (1, make_interval(secs => seconds))
  on conflict (id) do update set ahead = c.ahead + excluded.ahead;
  update joinery.scheduled_events e set
    requeued_at = joinery.event_now(), lease = case when e.lease = 0 then 0 end
  where e.due_at > before and e.due_at <= joinery.event_now()
    and (coalesce(e.lease, 0) = 0 or e.due_at > before + interval '250 ms');
  perform joinery.wake_event_nodes('clock');
end
$$;
