-- Returns the payload for searches; null if it cannot be jsonb (NUL characters, halves of surrogate pairs). An index of it makes searches by
-- payload fast. There is none by default, because it slows down every insert.
create or replace function joinery.event_payload(payload json)
returns jsonb
language plpgsql immutable parallel safe strict
as $$
begin
  if payload::text !~ '\\u|[0-9][eE]' then
    return payload::jsonb;
  end if;
  -- The exception handler takes a subtransaction.
  begin
    return payload::jsonb;
  exception when data_exception then
    return null;
  end;
end
$$;
