-- The log of calls becomes a table with a partition for each day. The present table is the partition of all days until the limit that
-- 000014 has set; an empty one is removed. Nodes of earlier versions write to the new table by its name.
do $$
declare
  earlier oid;
  upto text;
  grants jsonb;
  readers jsonb;
  one record;
  day date;
begin
  set local timezone = 'UTC';
  set local datestyle = 'ISO';
  -- Definitions of views have the names of all schemas.
  set local search_path = pg_catalog, pg_temp;
  perform set_config('lock_timeout', '100ms', true);
  loop
    begin
      lock table joinery.event_invocations in access exclusive mode;
      exit;
    exception when lock_not_available then
      perform pg_sleep(0.4);
    end;
  end loop;
  perform set_config('lock_timeout', '0', true);

  earlier := 'joinery.event_invocations'::regclass;
  select substring(pg_get_constraintdef(c.oid) from '''([^'']+)''') into strict upto
  from pg_constraint c where c.conrelid = earlier and c.conname = 'event_invocations_before';
  select jsonb_agg(jsonb_build_object(
    'privilege', a.privilege_type, 'role', case when a.grantee = 0 then 'public' else a.grantee::regrole::text end,
    'option', case when a.is_grantable then ' with grant option' else '' end
  )) into grants
  from pg_class c cross join aclexplode(c.relacl) a where c.oid = earlier and a.grantee <> c.relowner;
  select jsonb_agg(jsonb_build_object(
    'view', v.oid::regclass::text, 'definition', pg_get_viewdef(v.oid),
    'options', coalesce(' with (' || array_to_string(v.reloptions, ', ') || ')', '')
  )) into readers
  from pg_class v where v.relkind = 'v' and v.oid in (
    select r.ev_class from pg_depend d join pg_rewrite r on r.oid = d.objid
    where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = earlier
  );

  alter table joinery.event_invocations rename to event_invocations_before;
  create table joinery.event_invocations (like joinery.event_invocations_before including defaults) partition by range (created_at);
  for one in select * from jsonb_to_recordset(grants) as g (privilege text, role text, option text) loop
    execute format('grant %s on joinery.event_invocations to %s%s', one.privilege, one.role, one.option);
  end loop;
  for one in select * from jsonb_to_recordset(readers) as r (view text, definition text, options text) loop
    begin
      execute format('create or replace view %s%s as %s', one.view, one.options, one.definition);
    exception when others then
      -- A view of another role, or one that needs the primary key.
      raise warning 'the view % shows no calls of the following days: %', one.view, sqlerrm;
    end;
  end loop;

  if exists (select from joinery.event_invocations_before) then
    execute format(
      'alter table joinery.event_invocations attach partition joinery.event_invocations_before for values from (minvalue) to (%L)', upto
    );
    alter table joinery.event_invocations_before drop constraint event_invocations_before;
  else
    drop table joinery.event_invocations_before;
  end if;

  -- For calls of days without a partition. The partitions of days are created like this one.
  create table joinery.event_invocations_default (
    like joinery.event_invocations including defaults,
    primary key (event_id, id)
  );
  create index on joinery.event_invocations_default (created_at);
  create index on joinery.event_invocations_default (created_at) where status is null or status not between 200 and 299;
  alter table joinery.event_invocations attach partition joinery.event_invocations_default default;
  if to_regclass('joinery.event_invocations_before') is null then
    for offset_days in 0..1 loop
      day := current_date + offset_days;
      execute format(
        'create table joinery.event_invocations_%1$s (like joinery.event_invocations_default including all)', to_char(day, 'YYYYMMDD')
      );
      execute format(
        'alter table joinery.event_invocations attach partition joinery.event_invocations_%s for values from (%L) to (%L)',
        to_char(day, 'YYYYMMDD'), day, day + 1
      );
    end loop;
  end if;
end
$$;
