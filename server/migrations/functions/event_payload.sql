-- A payload that can be searched; null where jsonb cannot hold it (NUL characters, halves of surrogate pairs). An index
-- on this makes searches by payload fast; there is none by default, because every insert would pay for it.
create or replace function joinery.event_payload(payload json)
returns jsonb
language plpgsql immutable parallel safe strict
as $$
begin
  if payload::text !~ '\\u|[0-9][eE]' then
    return payload::jsonb;
  end if;
  -- A handler costs a subtransaction, hence only where there is need.
  begin
    return payload::jsonb;
  exception when data_exception then
    return null;
  end;
end
$$;
