-- Drops the tables, types and functions of event triggers, this function among them, and the schema if nothing else is in it and the
-- role may drop it. Does nothing while another session uses the tables: a later call removes them.
create or replace function joinery.remove_trigger_tables()
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set lock_timeout = '1s'
as $$
declare
  one record;
begin
  for one in
    select p.oid::regprocedure as name from pg_proc p
    where p.pronamespace = 'joinery'::regnamespace
      and p.proname in (select f.name from joinery.source_function_migrations f)
  loop
    execute format('drop routine %s cascade', one.name);
  end loop;
  drop table joinery.source_leases, joinery.source_identity, joinery.triggers, joinery.trigger_segments, joinery.trigger_cursors,
    joinery.trigger_batches, joinery.trigger_work, joinery.trigger_stamps, joinery.trigger_adopted_events, joinery.source_migrations,
    joinery.source_function_migrations;
  drop sequence joinery.trigger_batch, joinery.trigger_stamp;
  drop type joinery.claimed_trigger_event;
  if exists (select from pg_class c where c.relnamespace = 'joinery'::regnamespace)
    or exists (select from pg_proc p where p.pronamespace = 'joinery'::regnamespace)
    or exists (select from pg_type t where t.typnamespace = 'joinery'::regnamespace)
  then
    return;
  end if;
  begin
    drop schema joinery;
  exception when insufficient_privilege then
    null;
  end;
exception when lock_not_available then
  null;
end
$$;
