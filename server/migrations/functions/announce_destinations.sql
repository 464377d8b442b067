create or replace function joinery.announce_destinations() returns trigger language plpgsql as $$
begin
  perform joinery.wake_event_nodes('destinations');
  return null;
end
$$;
