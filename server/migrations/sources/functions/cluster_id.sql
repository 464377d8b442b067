-- The cluster of databases, to which transaction ids belong, and its timeline, which changes with a failover. Null where the role
-- or the service of the database does not allow to read them.
create or replace function joinery.cluster_id(out cluster bigint, out timeline text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  begin
    cluster := (select c.system_identifier from pg_control_system() c);
    timeline := left(pg_walfile_name(pg_current_wal_lsn()), 8);
  exception
    when insufficient_privilege or feature_not_supported or undefined_function then
      return;
  end;
end
$$;
