-- Returns true if the event was pending and is due at the new time, false as cancel_event does.
create or replace function joinery.reschedule_event(schedule_at timestamptz, id uuid default null, key text default null)
returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform joinery.reject(joinery.error_in_event('https://any', schedule_at, 'null', null, null, null));
  return joinery.change_event(
    joinery.event_meant(id, key), null, schedule_at, null, null, null, null, null, null, null, false, null, null
  );
end
$$;
