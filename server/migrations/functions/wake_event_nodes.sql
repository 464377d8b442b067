-- Notifies the nodes: '' of events, 'destinations' of changed rules of destinations, 'clock' of an advanced clock. Without NOTIFY, they find
-- changes by polling.
create or replace function joinery.wake_event_nodes(what text default '') returns void language plpgsql as $$
begin
  perform pg_catalog.pg_notify('joinery_events', what);
exception when feature_not_supported then
  return;
end
$$;
