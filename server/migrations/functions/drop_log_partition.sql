-- Drops a partition of the log of calls; `if_empty`: only where it has no calls. Takes no lock that another transaction has: returns
-- false then, to be called again. Outcomes and queries wait for the change of the catalog only: files are removed after the commit.
create or replace function joinery.drop_log_partition(name text, if_empty boolean)
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  dropped constant text := format('joinery.%I', name);
  filled boolean := false;
begin
  -- Several nodes may drop it.
  if to_regclass(dropped) is null then
    return true;
  end if;
  if if_empty then
    execute format('select exists (select from %s)', dropped) into filled;
  end if;
  if filled then
    return true;
  end if;
  execute format(
    'lock table only joinery.event_invocations, joinery.event_invocations_default, %s in access exclusive mode nowait', dropped
  );
  if if_empty then
    execute format('select exists (select from %s)', dropped) into filled;
  end if;
  if not filled then
    execute format('drop table %s', dropped);
  end if;
  return true;
exception when lock_not_available or undefined_table then
  return false;
end
$$;
