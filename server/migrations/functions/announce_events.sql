-- Notifies the nodes of events that are due before their next poll. It has the rights of its owner and reads the clock of events itself:
-- calls of joinery.event_now() took a third of the time of joinery.schedule_event. Names are qualified, because the search path is that
-- of the caller.
create or replace function joinery.announce_events() returns trigger
language plpgsql security definer
as $$
begin
  if exists (
    select from inserted
    where due_at operator(pg_catalog.<=) (
      pg_catalog.statement_timestamp() operator(pg_catalog.+) pg_catalog.interval '5 seconds'
      operator(pg_catalog.+) coalesce((select c.ahead from joinery.event_clock c), pg_catalog.interval '0')
    )
  ) then
    perform joinery.wake_event_nodes();
  end if;
  return null;
end
$$;
