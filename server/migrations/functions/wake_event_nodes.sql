-- Tells the nodes to look: '' for events, 'destinations' for what is said of destinations. Where NOTIFY is not to be
-- had, their poll is enough.
create or replace function joinery.wake_event_nodes(what text default '') returns void language plpgsql as $$
begin
  perform pg_catalog.pg_notify('joinery_events', what);
exception when feature_not_supported then
  return;
end
$$;
