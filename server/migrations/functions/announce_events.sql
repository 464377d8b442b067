-- As 000002 has it, by the time that events go by.
create or replace function joinery.announce_events() returns trigger language plpgsql as $$
begin
  if exists (select from inserted where due_at <= joinery.event_now() + interval '5 seconds') then
    perform joinery.wake_event_nodes();
  end if;
  return null;
end
$$;
