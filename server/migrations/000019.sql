-- Searches for unsuccessful calls read only the events that can have one: an index with those that were delivered by a later call
-- takes the place of the index on undelivered events.
create index processed_events_unsuccessful on joinery.processed_events (schedule_at) where status <> 'delivered' or tries > 1;
drop index joinery.processed_events_undelivered;
create index processed_events_trigger_unsuccessful on joinery.processed_events (trigger_name, schedule_at)
  where trigger_name is not null and (status <> 'delivered' or tries > 1);
