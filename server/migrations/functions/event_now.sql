-- Returns the present time of events. Stable, so that an index can be searched by it. Names are qualified: see announce_events.
create or replace function joinery.event_now()
returns timestamptz
language sql stable
as $$ select pg_catalog.statement_timestamp() operator(pg_catalog.+) joinery.event_ahead() $$;
