-- Drops the capture functions of a trigger, with the triggers that call them, and all that is stored of it. An advisory lock excludes
-- claims and outcomes, which lock rows and segments of several triggers in any order; all take it before any other lock.
create or replace function joinery.remove_trigger(number integer)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  one integer;
  operation text;
begin
  foreach operation in array array['insert', 'update', 'delete'] loop
    execute format('drop function if exists joinery.joinery_%s_%s() cascade', remove_trigger.number, operation);
  end loop;
  perform pg_advisory_xact_lock(1785687922, 1);
  for one in select s.segment from joinery.trigger_segments s where s.number = remove_trigger.number loop
    execute format('drop table if exists joinery.trigger_%1$s_s%2$s, joinery.trigger_%1$s_log_s%2$s, joinery.trigger_%1$s_s%2$s_packed', remove_trigger.number, one);
  end loop;
  execute format('drop sequence if exists joinery.trigger_%s_seq', remove_trigger.number);
  delete from joinery.trigger_adopted_events t where t.number = remove_trigger.number;
  delete from joinery.trigger_stamps t where t.number = remove_trigger.number;
  delete from joinery.trigger_work t where t.number = remove_trigger.number;
  delete from joinery.trigger_batches t where t.number = remove_trigger.number;
  delete from joinery.trigger_cursors t where t.number = remove_trigger.number;
  delete from joinery.trigger_segments t where t.number = remove_trigger.number;
  delete from joinery.triggers t where t.number = remove_trigger.number;
end
$$;
