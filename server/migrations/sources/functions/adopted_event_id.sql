-- The id of an event that was taken over from Hasura v2: the one that it had there.
create or replace function joinery.adopted_event_id(number integer, seq bigint)
returns uuid
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    (
      select a.id from joinery.trigger_adopted_events a
      where a.number = adopted_event_id.number and a.seq = adopted_event_id.seq
    ),
    joinery.event_id(adopted_event_id.number, adopted_event_id.seq)
  )
$$;
