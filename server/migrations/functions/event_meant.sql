-- Returns `id`, or the id of the event with the key; null without such an event.
create or replace function joinery.event_meant(id uuid, key text)
returns uuid
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if (id is null) = (key is null) then
    perform joinery.reject('give either id or key');
  end if;
  return coalesce(id, (select k.event_id from joinery.event_keys k where k.key = event_meant.key));
end
$$;
