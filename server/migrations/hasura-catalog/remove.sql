-- Removes what create.sql creates. Objects of the project in the schema keep it; views of the project that read these
-- views are an error.

do $$
declare
  readers text;
begin
  if to_regnamespace('hdb_catalog') is null then
    return;
  end if;
  if coalesce(obj_description(to_regnamespace('hdb_catalog'), 'pg_namespace'), '') not like 'Views of Joinery%' then
    raise exception 'the schema hdb_catalog of this database belongs to Hasura v2 and stays as it is';
  end if;
  begin
    drop view if exists hdb_catalog.event_log, hdb_catalog.event_invocation_logs, hdb_catalog.hdb_scheduled_events,
      hdb_catalog.hdb_cron_events, hdb_catalog.hdb_scheduled_event_invocation_logs,
      hdb_catalog.hdb_cron_event_invocation_logs, hdb_catalog.hdb_action_log;
  exception when dependent_objects_still_exist then
    get stacked diagnostics readers = pg_exception_detail;
    raise exception 'nothing was removed, because other objects depend on the views: %', readers;
  end;
  drop function if exists hdb_catalog.change_event();
  drop function if exists hdb_catalog.delete_invocation();
  drop function if exists hdb_catalog.change_action();
  drop function if exists hdb_catalog.change_nothing();
  begin
    drop function if exists hdb_catalog.gen_hasura_uuid();
    drop schema hdb_catalog;
  exception when dependent_objects_still_exist then
    raise notice 'the schema hdb_catalog has other objects and stays';
  end;
end $$;
