-- Runs at the commit of a transaction with events of ordered triggers. With immediate constraints it runs before the events of the
-- statement are noted; note_ordered_events stamps them then.
create or replace function joinery.stamp_trigger_events()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if coalesce(current_setting('joinery.stamping', true), '') in ('', 'immediate') then
    perform set_config('joinery.stamping', 'immediate', true);
  else
    perform joinery.stamp_noted_events();
  end if;
  return null;
end
$$;
