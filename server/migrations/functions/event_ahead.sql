-- With the rights of its owner: the trigger on inserts asks, too.
create or replace function joinery.event_ahead()
returns interval
language sql stable security definer
set search_path = ''
as $$ select coalesce((select c.ahead from joinery.event_clock c), interval '0') $$;
