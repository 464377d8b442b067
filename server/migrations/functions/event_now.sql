-- Stable, so that an index can be searched by it.
create or replace function joinery.event_now()
returns timestamptz
language sql stable
as $$ select statement_timestamp() + joinery.event_ahead() $$;
