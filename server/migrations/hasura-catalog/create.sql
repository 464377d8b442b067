-- Views with the names and columns of the catalog of Hasura v2, for SQL of projects that reads or cleans it. They show the
-- tables of the schema joinery where this database has them, and are empty elsewhere. Can run again.

do $$ begin
  if to_regnamespace('hdb_catalog') is null then
    create schema hdb_catalog;
    comment on schema hdb_catalog is 'Views of Joinery for SQL that was written for Hasura v2.';
  elsif coalesce(obj_description(to_regnamespace('hdb_catalog'), 'pg_namespace'), '') not like 'Views of Joinery%' then
    raise exception 'the schema hdb_catalog of this database belongs to Hasura v2 and stays as it is';
  end if;
end $$;

create or replace function hdb_catalog.gen_hasura_uuid() returns uuid language plpgsql volatile as $$
begin
  return gen_random_uuid();
end
$$;

-- Event triggers. Without tables of their own the views have no rows.

create or replace view hdb_catalog.event_log as
select null::text as id, null::text as schema_name, null::text as table_name, null::text as trigger_name,
  null::jsonb as payload, null::boolean as delivered, null::boolean as error, null::integer as tries,
  null::timestamp as created_at, null::timestamptz as locked, null::timestamp as next_retry_at, null::boolean as archived
where false;

create or replace view hdb_catalog.event_invocation_logs as
select null::text as id, null::text as trigger_name, null::text as event_id, null::integer as status,
  null::json as request, null::json as response, null::timestamp as created_at
where false;

-- Scheduled events, cron triggers and asynchronous actions, where the schema joinery is in another database.

do $$ begin
  if to_regclass('joinery.scheduled_events') is not null then
    return;
  end if;
  create or replace view hdb_catalog.hdb_scheduled_events as
  select null::text as id, null::json as webhook_conf, null::timestamptz as scheduled_time, null::json as retry_conf,
    null::json as payload, null::json as header_conf, null::text as status, null::integer as tries,
    null::timestamp as created_at, null::timestamptz as next_retry_at, null::text as comment
  where false;
  create or replace view hdb_catalog.hdb_cron_events as
  select null::text as id, null::text as trigger_name, null::timestamptz as scheduled_time, null::text as status,
    null::integer as tries, null::timestamp as created_at, null::timestamptz as next_retry_at
  where false;
  create or replace view hdb_catalog.hdb_scheduled_event_invocation_logs as
  select null::text as id, null::text as event_id, null::integer as status, null::json as request,
    null::json as response, null::timestamp as created_at
  where false;
  create or replace view hdb_catalog.hdb_cron_event_invocation_logs as
  select null::text as id, null::text as event_id, null::integer as status, null::json as request,
    null::json as response, null::timestamp as created_at
  where false;
  create or replace view hdb_catalog.hdb_action_log as
  select null::uuid as id, null::text as action_name, null::jsonb as input_payload, null::jsonb as request_headers,
    null::jsonb as session_variables, null::jsonb as response_payload, null::jsonb as errors,
    null::timestamptz as created_at, null::timestamptz as response_received_at, null::text as status
  where false;
end $$;

-- The same, where it is in this database.

do $$ begin
  if to_regclass('joinery.scheduled_events') is null then
    return;
  end if;
  create or replace view hdb_catalog.hdb_scheduled_events as
  select e.id::text as id, to_json(e.webhook) as webhook_conf, e.schedule_at as scheduled_time,
    json_build_object(
      'num_retries', e.num_retries, 'retry_interval_seconds', e.retry_interval_seconds,
      'timeout_seconds', e.timeout_seconds, 'tolerance_seconds', e.tolerance_seconds
    ) as retry_conf,
    e.payload, e.headers as header_conf, e.status, e.tries, (e.created_at at time zone 'UTC') as created_at,
    e.next_retry_at, e.comment
  from (
    select p.id, p.webhook, p.schedule_at, p.payload, p.headers, p.num_retries, p.retry_interval_seconds,
      p.timeout_seconds, p.tolerance_seconds,
      case when p.lease > 0 and p.due_at <= joinery.event_now() then 'locked' else 'scheduled' end as status,
      p.tries, p.created_at, p.next_retry_at, p.comment
    from joinery.scheduled_events p where p.trigger_name is null
    union all
    select d.id, d.webhook, d.schedule_at, d.payload, d.headers, d.num_retries, d.retry_interval_seconds,
      d.timeout_seconds, d.tolerance_seconds, d.status, d.tries, d.created_at, null::timestamptz, d.comment
    from joinery.processed_events d where d.trigger_name is null
  ) e;

  create or replace view hdb_catalog.hdb_cron_events as
  select p.id::text as id, p.trigger_name, p.schedule_at as scheduled_time,
    case when p.lease > 0 and p.due_at <= joinery.event_now() then 'locked' else 'scheduled' end as status,
    p.tries, (p.created_at at time zone 'UTC') as created_at, p.next_retry_at
  from joinery.scheduled_events p where p.trigger_name is not null
  union all
  select d.id::text, d.trigger_name, d.schedule_at, d.status, d.tries, (d.created_at at time zone 'UTC'),
    null::timestamptz
  from joinery.processed_events d where d.trigger_name is not null;

  create or replace view hdb_catalog.hdb_scheduled_event_invocation_logs as
  select log.id::text as id, log.event_id::text as event_id, log.status,
    json_build_object(
      'payload', case when e.bare then e.payload else json_build_object(
        'id', e.id, 'scheduled_time', e.schedule_at, 'payload', e.payload, 'created_at', e.created_at,
        'comment', e.comment
      ) end,
      'headers', e.headers, 'version', '1'
    ) as request,
    log.response, (log.created_at at time zone 'UTC') as created_at
  from joinery.event_invocations log
  join lateral (
    select p.id, p.schedule_at, p.payload, p.created_at, p.comment, p.headers,
      p.delivery ->> 'body' is not distinct from 'payload' as bare
    from joinery.scheduled_events p where p.id = log.event_id and p.trigger_name is null
    union all
    select d.id, d.schedule_at, d.payload, d.created_at, d.comment, d.headers,
      d.delivery ->> 'body' is not distinct from 'payload'
    from joinery.processed_events d where d.id = log.event_id and d.trigger_name is null
  ) e on true;

  create or replace view hdb_catalog.hdb_cron_event_invocation_logs as
  select log.id::text as id, log.event_id::text as event_id, log.status,
    json_build_object(
      'payload', case when e.bare then e.payload else json_build_object(
        'id', e.id, 'scheduled_time', e.schedule_at, 'payload', e.payload, 'name', e.trigger_name, 'comment', e.comment
      ) end,
      'headers', e.headers, 'version', '1'
    ) as request,
    log.response, (log.created_at at time zone 'UTC') as created_at
  from joinery.event_invocations log
  join lateral (
    select p.id, p.schedule_at, p.payload, p.trigger_name, p.comment, p.headers,
      p.delivery ->> 'body' is not distinct from 'payload' as bare
    from joinery.scheduled_events p where p.id = log.event_id and p.trigger_name is not null
    union all
    select d.id, d.schedule_at, d.payload, d.trigger_name, d.comment, d.headers,
      d.delivery ->> 'body' is not distinct from 'payload'
    from joinery.processed_events d where d.id = log.event_id and d.trigger_name is not null
  ) e on true;

  create or replace view hdb_catalog.hdb_action_log as
  select a.id, a.action_name, joinery.event_payload(a.input_payload) as input_payload, a.request_headers,
    a.session_variables, joinery.event_payload(a.response_payload) as response_payload,
    joinery.event_payload(a.errors) as errors, a.created_at, a.response_received_at, a.status
  from joinery.action_log a;
end $$;

-- Changes of the views. The bodies are checked when they run: the tables may be in another database.

set local check_function_bodies = off;

create or replace function hdb_catalog.change_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  event uuid;
  changeable constant text[] := array['status', 'scheduled_time', 'tries', 'next_retry_at'];
begin
  if tg_op = 'INSERT' then
    new.id := joinery.schedule_event(
      new.webhook_conf #>> '{}', new.scheduled_time, coalesce(new.payload, 'null'::json),
      coalesce(new.header_conf, '[]'::json)::jsonb, coalesce(new.retry_conf, '{}'::json)::jsonb, new.comment
    );
    return new;
  end if;
  event := old.id::uuid;
  if tg_op = 'DELETE' then
    delete from joinery.event_invocations i where i.event_id = event;
    delete from joinery.scheduled_events e where e.id = event;
    delete from joinery.processed_events e where e.id = event;
    delete from joinery.event_keys k where k.event_id = event;
    return old;
  end if;
  if to_jsonb(new) - changeable is distinct from to_jsonb(old) - changeable then
    raise exception 'only status, scheduled_time, tries and next_retry_at of an event can be changed here';
  end if;
  if new.status is distinct from old.status then
    if new.status in ('delivered', 'error', 'dead') then
      perform joinery.cancel_events(array[event]);
      update joinery.processed_events e set status = new.status where e.id = event;
      if not found then
        raise exception 'the event % is being called', event;
      end if;
    elsif new.status = 'scheduled' then
      perform joinery.redeliver_events(array[event]);
      update joinery.scheduled_events e set lease = null where e.id = event;
    else
      raise exception 'the status of an event cannot be set to %', new.status;
    end if;
  elsif new.tries is distinct from old.tries or new.next_retry_at is distinct from old.next_retry_at then
    update joinery.scheduled_events e
    set tries = new.tries, next_retry_at = new.next_retry_at, lease = null where e.id = event;
  end if;
  if new.scheduled_time is distinct from old.scheduled_time then
    perform joinery.change_event(
      event, null, new.scheduled_time, null, null, null, null, null, null, null, false, null, null
    );
  end if;
  return new;
end
$$;

create or replace function hdb_catalog.delete_invocation() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from joinery.event_invocations i where i.event_id = old.event_id::uuid and i.id = old.id::uuid;
  return old;
end
$$;

create or replace function hdb_catalog.change_action() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changeable constant text[] := array['status', 'response_payload', 'errors', 'response_received_at'];
begin
  if tg_op = 'DELETE' then
    delete from joinery.action_log a where a.id = old.id;
    return old;
  end if;
  if to_jsonb(new) - changeable is distinct from to_jsonb(old) - changeable then
    raise exception 'only status, response_payload, errors and response_received_at of an action can be changed here';
  end if;
  update joinery.action_log a set
    status = new.status,
    response_payload = case
      when new.response_payload is distinct from old.response_payload then new.response_payload::json
      else a.response_payload
    end,
    errors = case when new.errors is distinct from old.errors then new.errors::json else a.errors end,
    response_received_at = new.response_received_at
  where a.id = old.id;
  return new;
end
$$;

create or replace function hdb_catalog.change_nothing() returns trigger language plpgsql as $$
begin
  return null;
end
$$;

do $$
declare
  here constant boolean := to_regclass('joinery.scheduled_events') is not null;
  change record;
begin
  for change in
    select * from (values
      ('event_log', 'update or delete', 'change_nothing'),
      ('event_invocation_logs', 'update or delete', 'change_nothing'),
      ('hdb_scheduled_events', 'insert or update or delete', 'change_event'),
      ('hdb_cron_events', 'update or delete', 'change_event'),
      ('hdb_scheduled_event_invocation_logs', 'delete', 'delete_invocation'),
      ('hdb_cron_event_invocation_logs', 'delete', 'delete_invocation'),
      ('hdb_action_log', 'update or delete', 'change_action')
    ) as changes (view, operations, function)
  loop
    execute format('drop trigger if exists joinery_change on hdb_catalog.%I', change.view);
    execute format(
      'create trigger joinery_change instead of %s on hdb_catalog.%I for each row execute function hdb_catalog.%I()',
      case when here then change.operations else 'update or delete' end,
      change.view,
      case when here then change.function else 'change_nothing' end
    );
  end loop;
end $$;
