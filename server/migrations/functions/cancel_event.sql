-- Returns true if the event was pending and is canceled, false if there is no such pending event or it is being called.
create or replace function joinery.cancel_event(id uuid default null, key text default null)
returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (select from joinery.cancel_events(array[joinery.event_meant(id, key)]));
end
$$;
