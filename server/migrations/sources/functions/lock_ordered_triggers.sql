-- Locks those of the triggers that have ordered events, against claims of new events, in the order that claims use.
create or replace function joinery.lock_ordered_triggers(numbers integer[])
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform from joinery.triggers t
  where t.number = any (numbers)
    -- From the newest: an open transaction may keep all earlier ones.
    and (select true from joinery.trigger_cursors c where c.number = t.number and c.ordered order by c.id desc limit 1)
  order by t.number for share;
end
$$;
