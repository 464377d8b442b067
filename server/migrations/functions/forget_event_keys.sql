-- Deletes the keys of deleted events.
create or replace function joinery.forget_event_keys() returns trigger language plpgsql as $$
begin
  delete from joinery.event_keys k using removed r where k.event_id = r.id;
  return null;
end
$$;
