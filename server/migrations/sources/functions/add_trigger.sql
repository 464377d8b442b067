-- Creates the storage of a trigger and returns its number. Capture begins with set_trigger_capture.
create or replace function joinery.add_trigger(
  name text, table_schema text, table_name text, ordered boolean, owner text default ''
)
returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  added integer;
begin
  insert into joinery.triggers (owner, name, table_schema, table_name, ordered)
  values (add_trigger.owner, add_trigger.name, add_trigger.table_schema, add_trigger.table_name, add_trigger.ordered)
  returning number into added;
  execute format('create sequence joinery.trigger_%s_seq maxvalue 281474976710655', added);
  update joinery.triggers t set sequence = format('joinery.trigger_%s_seq', added)::regclass where t.number = added;
  perform joinery.open_trigger_segment(added);
  return added;
end
$$;
