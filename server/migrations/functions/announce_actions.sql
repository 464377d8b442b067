-- Notifies the nodes that run actions. Without NOTIFY, they find actions by polling.
create or replace function joinery.announce_actions() returns trigger language plpgsql as $$
begin
  perform pg_catalog.pg_notify('joinery_actions', '');
  return null;
exception when feature_not_supported then
  return null;
end
$$;
