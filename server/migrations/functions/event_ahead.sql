-- Returns how far development mode has advanced the time of events. It has the rights of its owner, because it also runs for roles that
-- may only insert events. In PL/pgSQL, which keeps its plan: a function in SQL is parsed and planned for each statement that calls it.
create or replace function joinery.event_ahead()
returns interval
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return coalesce((select c.ahead from joinery.event_clock c), interval '0');
end
$$;
