-- Creates the missing partitions of the log of calls for today and the days `ahead`. A day whose calls are in the partition without
-- limits gets none. Takes no lock that another transaction has: returns false then, to be called again. Nothing waits for it.
create or replace function joinery.open_log_days(ahead integer)
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set datestyle = 'ISO'
as $$
declare
  missing constant text :=
    'select d.day::date from generate_series(current_date::timestamp, current_date::timestamp + $1 * interval ''1 day'', ''1 day'') d (day)
      where not exists (select from joinery.log_partitions() p where p.starts_at < d.day + interval ''1 day'' and p.ends_at > d.day)
        and to_regclass(to_char(d.day, ''"joinery.event_invocations_"YYYYMMDD'')) is null';
  day date;
  known boolean;
begin
  execute format('select not exists (%s)', missing) into known using ahead;
  if known then
    return true;
  end if;
  lock table only joinery.event_invocations in share update exclusive mode nowait;
  -- It is searched for calls of the new days.
  lock table joinery.event_invocations_default in access exclusive mode nowait;
  for day in execute missing using ahead loop
    continue when exists (
      select from joinery.event_invocations_default d where d.created_at >= day and d.created_at < day + 1
    );
    execute format(
      'create table joinery.event_invocations_%s (like joinery.event_invocations_default including all)', to_char(day, 'YYYYMMDD')
    );
    execute format(
      'alter table joinery.event_invocations attach partition joinery.event_invocations_%s for values from (%L) to (%L)',
      to_char(day, 'YYYYMMDD'), day, day + 1
    );
  end loop;
  return true;
exception when lock_not_available then
  return false;
end
$$;
