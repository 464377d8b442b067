/** SQL that saves what the tables of events contain and restores it: at the start of a simulation, and where a failover loses commits. */

/** Tables of the schema `joinery` that delivery writes; those of the segments of triggers are added. */
const tables = [
  'action_log',
  'cron_plans',
  'event_destinations',
  'event_invocations',
  'event_keys',
  'event_leases',
  'metadata',
  'processed_events',
  'scheduled_events',
  'source_identity',
  'source_leases',
  'trigger_batches',
  'trigger_cursors',
  'trigger_segments',
  'trigger_stamps',
  'trigger_work',
  'triggers',
];

/**
 * Creates the functions `simulation.prepare()`, `simulation.save(slot)` and `simulation.restore(slot)` for the slots `initial` and
 * `failover`, and `simulation.truncate()`, which removes dead rows. What is restored has the transaction ids that it had, and sequences continue as they did.
 */
export const savedState = `
create table simulation.kept (name regclass primary key, copy text not null, columns text not null);
create table simulation.sequences (slot text, name regclass, last_value bigint, is_called boolean, primary key (slot, name));
create function simulation.prepare() returns void language plpgsql as $$
declare
  one record;
begin
  insert into simulation.kept
  select c.oid, c.relname, string_agg(quote_ident(a.attname), ', ' order by a.attnum)
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and (
    c.relnamespace = 'joinery'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and (c.relname = any ('{${tables.join()}}') or c.relname ~ '^trigger_\\d+_')
    or c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
  )
  group by c.oid, c.relname;
  for one in select * from simulation.kept loop
    execute format('create table simulation.initial_%s as select %s from %s', one.copy, one.columns, one.name);
    execute format('create table simulation.failover_%s as select %s from %s limit 0', one.copy, one.columns, one.name);
  end loop;
  perform simulation.save_sequences('initial');
end $$;
create function simulation.save_sequences(slot text) returns void language plpgsql as $$
declare
  one regclass;
begin
  for one in select c.oid from pg_class c where c.relkind = 'S' and c.relnamespace = 'joinery'::regnamespace loop
    execute format('insert into simulation.sequences select $1, %L::regclass, last_value, is_called from %1$s
      on conflict (slot, name) do update set last_value = excluded.last_value, is_called = excluded.is_called', one) using slot;
  end loop;
end $$;
create function simulation.save(slot text) returns void language plpgsql as $$
declare
  one record;
begin
  for one in select * from simulation.kept loop
    execute format('delete from simulation.%s_%s', slot, one.copy);
    execute format('insert into simulation.%s_%s select %s from %s', slot, one.copy, one.columns, one.name);
  end loop;
  perform simulation.save_sequences(slot);
end $$;
create function simulation.restore(slot text) returns void language plpgsql as $$
declare
  one record;
  filled boolean;
begin
  perform set_config('session_replication_role', 'replica', true);
  for one in
    select k.*, (select t.tgname from pg_trigger t where t.tgrelid = k.name and t.tgenabled = 'A' limit 1) as stamp
    from simulation.kept k
  loop
    -- Not truncated, so that plans and caches stay valid.
    execute format('delete from %s', one.name);
    execute format('select exists (select from simulation.%s_%s)', slot, one.copy) into filled;
    continue when not filled;
    if one.stamp is not null then
      execute format('alter table %s disable trigger %I', one.name, one.stamp);
    end if;
    execute format('insert into %s (%s) overriding system value select %2$s from simulation.%s_%s', one.name, one.columns, slot, one.copy);
    if one.stamp is not null then
      execute format('alter table %s enable always trigger %I', one.name, one.stamp);
    end if;
  end loop;
  perform setval(s.name, s.last_value, s.is_called) from simulation.sequences s where s.slot = restore.slot;
end $$;
create function simulation.truncate() returns void language plpgsql as $$
begin
  execute 'truncate ' || (select string_agg(k.name::text, ', ') from simulation.kept k);
end $$;`;
