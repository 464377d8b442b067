-- Wakes the nodes that run actions. Where NOTIFY is not to be had, their poll is enough.
create or replace function joinery.announce_actions() returns trigger language plpgsql as $$
begin
  perform pg_catalog.pg_notify('joinery_actions', '');
  return null;
exception when feature_not_supported then
  return null;
end
$$;
