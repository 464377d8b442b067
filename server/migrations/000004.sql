-- What the API of scheduled events needs: keys, search, the functions for SQL, cron triggers, and an advanced clock.

-- An event of a cron trigger bears its name. `catch_up_seconds`: if the first call would be later than this, there is
-- none; null leaves that to the tolerance alone.
alter table joinery.scheduled_events
  add column trigger_name text,
  add column catch_up_seconds integer check (catch_up_seconds >= 0),
  -- How the request is made up where that is not the usual way: body, signing and request_transform, as the API takes
  -- them.
  add column delivery json;
alter table joinery.processed_events add column trigger_name text, add column delivery json;

create unique index scheduled_events_trigger on joinery.scheduled_events (trigger_name, schedule_at)
  where trigger_name is not null;
create index processed_events_trigger on joinery.processed_events (trigger_name, schedule_at)
  where trigger_name is not null;

-- Up to when the runs of a trigger have been planned, and by which definition. Whoever plans locks the row.
create table joinery.cron_plans (
  trigger_name text primary key,
  definition text not null,
  planned_until timestamptz not null
);

-- Lists go by schedule_at, which is due_at but where a call has failed before.
create index scheduled_events_retried on joinery.scheduled_events (schedule_at)
  where lease is null and next_retry_at is not null;
create index processed_events_undelivered on joinery.processed_events (schedule_at) where status <> 'delivered';

alter table joinery.processed_events
  drop constraint processed_events_status_check,
  add constraint processed_events_status_check check (status in ('delivered', 'error', 'dead', 'cancelled'));

-- Idempotency keys: whoever creates an event under a key that is there gets the event that is there, for as long as
-- that is kept. A table of their own, so that events without a key pay nothing, and a key stands for one event whether
-- it is pending or processed.
create table joinery.event_keys (
  key text primary key check (length(key) between 1 and 255),
  event_id uuid not null unique,
  -- Of what the event was created with.
  digest text not null
);

-- A key goes with its event, whoever removes it.
create function joinery.forget_event_keys() returns trigger language plpgsql as $$
begin
  delete from joinery.event_keys k using removed r where k.event_id = r.id;
  return null;
end
$$;

create trigger forget_event_keys after delete on joinery.processed_events
  referencing old table as removed
  for each statement execute function joinery.forget_event_keys();

-- A payload that can be searched; null where jsonb cannot hold it (NUL characters, halves of surrogate pairs). An index
-- on this makes searches by payload fast; there is none by default, because every insert would pay for it.
create function joinery.event_payload(payload json)
returns jsonb
language plpgsql immutable parallel safe strict
as $$
begin
  if payload::text !~ '\\u|[0-9][eE]' then
    return payload::jsonb;
  end if;
  -- A handler costs a subtransaction, hence only where there is need.
  begin
    return payload::jsonb;
  exception when data_exception then
    return null;
  end;
end
$$;

-- Inserts events, element by element of the arrays, all or none. Returns those that are there already under their key,
-- with the place of the element. Raises JY001 with the place as detail where the event under a key was created with
-- something else. A key must not occur twice.
create function joinery.insert_keyed_events(
  ids uuid[], webhooks text[], times timestamptz[], payloads text[], all_headers text[], retries integer[],
  intervals integer[], timeouts integer[], tolerances integer[], comments text[], keys text[],
  ordering_keys text[], policies text[], deliveries text[]
)
returns table (place integer, event_id uuid)
language plpgsql
as $$
declare
  found record;
begin
  for found in
    with given as materialized (
      select g.*, encode(sha256(convert_to(jsonb_build_array(
        g.webhook, extract(epoch from g.schedule_at), coalesce(joinery.event_payload(g.payload::json)::text, g.payload),
        g.headers::jsonb, g.num_retries, g.retry_interval_seconds, g.timeout_seconds, g.tolerance_seconds, g.comment,
        g.ordering_key, g.policy::jsonb, g.delivery::jsonb
      )::text, 'UTF8')), 'hex') as digest
      from unnest(
        ids, webhooks, times, payloads, all_headers, retries, intervals, timeouts, tolerances, comments, keys,
        ordering_keys, policies, deliveries
      ) with ordinality as g (
        id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
        tolerance_seconds, comment, key, ordering_key, policy, delivery, place
      )
    ),
    claimed as (
      -- In order, so that two that claim the same keys wait for each other instead of both failing.
      insert into joinery.event_keys as k (key, event_id, digest)
      select g.key, g.id, g.digest from given g where g.key is not null order by g.key
      -- Changes nothing, but waits for whoever holds the key and then knows the row.
      on conflict on constraint event_keys_pkey do update set key = excluded.key
      returning k.key, k.event_id, k.digest
    ),
    inserted as (
      insert into joinery.scheduled_events (
        id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
        tolerance_seconds, comment, ordering_key, retry_policy, delivery
      )
      select g.id, g.webhook, g.schedule_at, g.payload::json, g.headers::json, g.num_retries,
        g.retry_interval_seconds, g.timeout_seconds, g.tolerance_seconds, g.comment, g.ordering_key,
        g.policy::json, g.delivery::json
      from given g left join claimed c on c.key = g.key
      where g.key is null or c.event_id = g.id
    )
    select g.place, c.event_id, c.digest = g.digest as same from given g join claimed c on c.key = g.key
    where c.event_id <> g.id
    order by g.place
  loop
    if not found.same then
      raise exception 'the key is taken by event %, which was created with something else', found.event_id
        using errcode = 'JY001', detail = found.place::text;
    end if;
    place := found.place;
    event_id := found.event_id;
    return next;
  end loop;
end
$$;

-- Moves pending events to the processed ones as cancelled and returns their ids. An event whose call is under way stays
-- as it is, and so does one whose call may start within the moment that a node trusts what it has read.
create function joinery.cancel_events(ids uuid[])
returns setof uuid
language sql
as $$
  with gone as (
    delete from joinery.scheduled_events e
    where e.id = any (ids) and (coalesce(e.lease, 0) = 0 or e.due_at > joinery.event_now() + interval '250 ms')
    returning e.*
  )
  insert into joinery.processed_events (
    id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
    tolerance_seconds, comment, created_at, tries, status, trigger_name, ordering_key, retry_policy, delivery
  )
  select g.id, g.webhook, g.schedule_at, g.payload, g.headers, g.num_retries, g.retry_interval_seconds,
    g.timeout_seconds, g.tolerance_seconds, g.comment, g.created_at, g.tries, 'cancelled', g.trigger_name,
    g.ordering_key, g.retry_policy, g.delivery
  from gone g
  on conflict (id) do nothing
  returning id
$$;

-- Changes a pending event; what is null stays as it is, and `no_comment` takes the comment away. Another time starts
-- the retries anew. Members of `new_delivery` that are null go back to the usual way. Returns false where there is no such event, or its call is under way (see cancel_events).
create function joinery.change_event(
  event uuid, new_webhook text, new_time timestamptz, new_payload json, new_headers json, retries integer,
  interval_seconds integer, timeout integer, tolerance integer, new_comment text, no_comment boolean,
  new_policy json, new_delivery json
)
returns boolean
language plpgsql
as $$
declare
  due timestamptz;
begin
  update joinery.scheduled_events e set
    webhook = coalesce(new_webhook, e.webhook),
    schedule_at = coalesce(new_time, e.schedule_at),
    next_retry_at = case when new_time is null then e.next_retry_at end,
    tries = case when new_time is null then e.tries else 0 end,
    requeued_at = case when new_time is null then e.requeued_at end,
    requeued_tries = case when new_time is null then e.requeued_tries else 0 end,
    payload = coalesce(new_payload, e.payload),
    headers = coalesce(new_headers, e.headers),
    num_retries = coalesce(retries, e.num_retries),
    retry_interval_seconds = coalesce(interval_seconds, e.retry_interval_seconds),
    timeout_seconds = coalesce(timeout, e.timeout_seconds),
    tolerance_seconds = coalesce(tolerance, e.tolerance_seconds),
    retry_policy = case when retries is null then e.retry_policy else new_policy end,
    delivery = case when new_delivery is null then e.delivery else (
      select json_object_agg(m.key, m.value) from (
        select n.key, n.value from json_each(new_delivery) n where json_typeof(n.value) <> 'null'
        union all
        select o.key, o.value from json_each(e.delivery) o
        where not exists (select from json_each(new_delivery) n where n.key = o.key)
      ) m
    ) end,
    comment = case when no_comment then null else coalesce(new_comment, e.comment) end,
    -- The node that holds it asks before it calls, and finds that it is not its any more.
    lease = null
  where e.id = event and (coalesce(e.lease, 0) = 0 or e.due_at > joinery.event_now() + interval '250 ms')
  returning e.due_at into due;
  if due is null then
    return false;
  end if;
  if due <= joinery.event_now() + interval '5 seconds' then
    perform joinery.wake_event_nodes();
  end if;
  return true;
end
$$;

-- The functions for SQL. They run with the rights of their owner, so that a role needs no more than
--   grant usage on schema joinery to app;
-- to schedule, cancel and reschedule events without reading or writing a table here. Their search_path is fixed.

-- What is wrong with a list of headers, or null.
create function joinery.fault_in_headers(headers jsonb)
returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  header jsonb;
  place integer := 0;
begin
  if jsonb_typeof(headers) is distinct from 'array' then
    return 'headers must be a list of {name, value} or {name, value_from_env}';
  end if;
  if jsonb_array_length(headers) > 100 then
    return 'headers must have at most 100 elements';
  end if;
  for header in select jsonb_array_elements(headers) loop
    if jsonb_typeof(header) <> 'object' or jsonb_typeof(header -> 'name') is distinct from 'string' then
      return format('headers[%s] must be an object with a name and a value or value_from_env', place);
    end if;
    if header ->> 'name' !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]+$' then
      return format('headers[%s].name must be an HTTP header name', place);
    end if;
    if header ->> 'name' ~* '^(content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer)$' then
      return format('headers[%s].name is a header that the service sets itself; leave it out', place);
    end if;
    if (select count(*) from jsonb_object_keys(header)) <> 2
      or (header ? 'value') = (header ? 'value_from_env')
      or jsonb_typeof(coalesce(header -> 'value', header -> 'value_from_env')) <> 'string' then
      return format('headers[%s] must have a value or a value_from_env, which is a string, and nothing else', place);
    end if;
    if header ->> 'value' ~ '[\r\n]' then
      return format('headers[%s].value must not contain a line break', place);
    end if;
    if header ->> 'value' !~ '^[\t\x20-\x7e\u0080-\u00ff]*$' then
      return format('headers[%s].value must consist of Latin characters that can be printed', place);
    end if;
    if header ->> 'value_from_env' = '' then
      return format('headers[%s].value_from_env must not be empty', place);
    end if;
    if header ->> 'value_from_env' ~* '^(JOINERY_|HASURA_GRAPHQL_)' then
      return format('headers[%s].value_from_env names a setting of the service', place);
    end if;
    place := place + 1;
  end loop;
  return null;
end
$$;

-- What is wrong with a retry_conf, or null.
create function joinery.fault_in_retry_conf(retry_conf jsonb)
returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  member record;
  least_value integer;
begin
  if jsonb_typeof(retry_conf) <> 'object' then
    return 'retry_conf must be an object';
  end if;
  for member in select m.key, m.value from jsonb_each(retry_conf) as m loop
    if member.key = any (array['backoff', 'max_retry_interval_seconds', 'jitter', 'retry_delays_seconds',
      'final_client_errors']) then
      if member.value <> 'null' and not (case member.key
        when 'backoff' then member.value in ('"fixed"', '"exponential"')
        when 'final_client_errors' then jsonb_typeof(member.value) = 'boolean'
        when 'jitter' then case when jsonb_typeof(member.value) = 'number' then
          member.value::numeric between 0 and 1 else false end
        when 'max_retry_interval_seconds' then
          case when member.value::text ~ '^[0-9]{1,10}$' then member.value::numeric between 1 and 2147483647
            else false end
        else case when jsonb_typeof(member.value) = 'array' then
          jsonb_array_length(member.value) between 1 and 100 and not exists (
            select from jsonb_array_elements(member.value) as delay
            where delay::text !~ '^[0-9]{1,10}$' or delay::text::numeric > 2147483647
          ) else false end
      end) then
        return format('retry_conf.%s is not what create_scheduled_event takes', member.key);
      end if;
      continue;
    end if;
    if member.key <> all (array['num_retries', 'retry_interval_seconds', 'timeout_seconds', 'tolerance_seconds']) then
      return format('retry_conf.%s: there is no such argument', member.key);
    end if;
    if jsonb_typeof(member.value) <> 'number' or member.value::text !~ '^-?[0-9]+$' then
      return format('retry_conf.%s must be a whole number', member.key);
    end if;
    least_value := (member.key = 'timeout_seconds')::integer;
    if member.value::numeric not between least_value and 2147483647 then
      return format('retry_conf.%s must be %s to 2147483647', member.key, least_value);
    end if;
  end loop;
  return null;
end
$$;

-- What is wrong with the rest of an event, or null. The variables of templates are not known here: a webhook that
-- begins with one is not looked at any further.
create function joinery.fault_in_event(webhook text, schedule_at timestamptz, payload json, comment text, key text, ordering_key text)
returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when webhook is null then 'webhook is required'
    when length(webhook) > 8000 then 'webhook must have at most 8000 characters'
    when webhook !~* '^https?://[^/?#\s]+[^\s]*$' and webhook !~ '^\{\{\s*[^{}\s]+\s*\}\}'
      then 'webhook must be an http or https URL'
    when schedule_at is null then 'schedule_at is required'
    when not isfinite(schedule_at) or schedule_at < '0001-01-01Z' or schedule_at >= '10000-01-01Z'
      then 'schedule_at must lie in the years 0001 to 9999'
    when payload is null then 'payload is required; the JSON value null is a payload too'
    when octet_length(payload::text) > 1048576 then format(
      'the payload has %s bytes, the limit is 1048576; send a reference to the data instead',
      octet_length(payload::text))
    when length(comment) > 10000 then 'comment must have at most 10000 characters'
    when length(key) not between 1 and 255 then 'key must have 1 to 255 characters'
    when length(ordering_key) not between 1 and 255 then 'ordering_key must have 1 to 255 characters'
  end;
end
$$;

-- What is wrong with the way the request is to be made up, or null. Templates are looked at by the service alone.
create function joinery.fault_in_delivery(body text, signing jsonb, request_transform json)
returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  unknown text;
begin
  if body not in ('envelope', 'payload') then
    return 'body must be envelope or payload';
  end if;
  if signing is not null and signing not in ('null', 'false') then
    if jsonb_typeof(signing) <> 'object' or jsonb_typeof(signing -> 'key_from_env') is distinct from 'string'
      or (select count(*) from jsonb_object_keys(signing)) <> 1 or signing ->> 'key_from_env' = '' then
      return 'signing must be false, or an object with key_from_env, the name of a variable';
    end if;
    if signing ->> 'key_from_env' ~* '^(JOINERY_|HASURA_GRAPHQL_)' then
      return 'signing.key_from_env names a setting of the service';
    end if;
  end if;
  if json_typeof(request_transform) not in ('object', 'null') then
    return 'request_transform must be an object';
  end if;
  if json_typeof(request_transform) = 'object' then
    select k into unknown from json_object_keys(request_transform) as k
    where k <> all (array['version', 'template_engine', 'method', 'url', 'query_params', 'content_type',
      'request_headers', 'body'])
    limit 1;
    if unknown is not null then
      return format('request_transform.%s: there is no such argument', unknown);
    end if;
  end if;
  return null;
end
$$;

-- As the column has it; null for the usual way.
create function joinery.written_delivery(body text, signing jsonb, request_transform json)
returns json
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select json_object_agg(m.key, m.value) from (
    select 'body' as key, to_json(written_delivery.body) as value where written_delivery.body = 'payload'
    union all select 'signing', signing::json where signing <> 'null'
    union all select 'request_transform', request_transform where json_typeof(request_transform) <> 'null'
  ) m
$$;

create function joinery.refuse(message text)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if message is not null then
    raise exception '%', message using errcode = 'invalid_parameter_value';
  end if;
end
$$;

create function joinery.schedule_event(
  webhook text, schedule_at timestamptz, payload json, headers jsonb default '[]', retry_conf jsonb default '{}',
  comment text default null, key text default null, ordering_key text default null, body text default null,
  signing jsonb default null, request_transform json default null
)
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  id uuid := gen_random_uuid();
  known uuid;
  conf jsonb := coalesce(schedule_event.retry_conf, '{}');
  given_headers jsonb := coalesce(schedule_event.headers, '[]');
  policy jsonb := nullif(
    jsonb_strip_nulls(conf) - 'num_retries' - 'retry_interval_seconds' - 'timeout_seconds' - 'tolerance_seconds', '{}'
  );
  delivery json := joinery.written_delivery(body, signing, request_transform);
begin
  perform joinery.refuse(joinery.fault_in_event(webhook, schedule_at, payload, comment, key, ordering_key));
  perform joinery.refuse(joinery.fault_in_headers(given_headers));
  perform joinery.refuse(joinery.fault_in_retry_conf(conf));
  perform joinery.refuse(joinery.fault_in_delivery(body, signing, request_transform));
  if key is null then
    insert into joinery.scheduled_events (
      id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
      tolerance_seconds, comment, ordering_key, retry_policy, delivery
    )
    values (
      id, schedule_event.webhook, schedule_event.schedule_at, schedule_event.payload, given_headers::json,
      coalesce((conf ->> 'num_retries')::integer, 0), coalesce((conf ->> 'retry_interval_seconds')::integer, 10),
      coalesce((conf ->> 'timeout_seconds')::integer, 60), coalesce((conf ->> 'tolerance_seconds')::integer, 21600),
      schedule_event.comment, schedule_event.ordering_key, policy::json, delivery
    );
    return id;
  end if;
  select k.event_id into known from joinery.insert_keyed_events(
    array[id], array[webhook], array[schedule_at], array[payload::text], array[given_headers::text],
    array[coalesce((conf ->> 'num_retries')::integer, 0)],
    array[coalesce((conf ->> 'retry_interval_seconds')::integer, 10)],
    array[coalesce((conf ->> 'timeout_seconds')::integer, 60)],
    array[coalesce((conf ->> 'tolerance_seconds')::integer, 21600)], array[comment], array[key],
    array[ordering_key], array[policy::text], array[delivery::text]
  ) k;
  return coalesce(known, id);
end
$$;

-- The same for a payload of type jsonb, and for one that is written as text.
create function joinery.schedule_event(
  webhook text, schedule_at timestamptz, payload jsonb, headers jsonb default '[]', retry_conf jsonb default '{}',
  comment text default null, key text default null, ordering_key text default null, body text default null,
  signing jsonb default null, request_transform json default null
)
returns uuid
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  select joinery.schedule_event(
    webhook, schedule_at, payload::json, headers, retry_conf, comment, key, ordering_key, body, signing,
    request_transform
  )
$$;

create function joinery.schedule_event(
  webhook text, schedule_at timestamptz, payload text, headers jsonb default '[]', retry_conf jsonb default '{}',
  comment text default null, key text default null, ordering_key text default null, body text default null,
  signing jsonb default null, request_transform json default null
)
returns uuid
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  select joinery.schedule_event(
    webhook, schedule_at, payload::json, headers, retry_conf, comment, key, ordering_key, body, signing,
    request_transform
  )
$$;

-- The id of the event that is meant; null where there is none of that key.
create function joinery.event_meant(id uuid, key text)
returns uuid
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if (id is null) = (key is null) then
    perform joinery.refuse('give either id or key');
  end if;
  return coalesce(id, (select k.event_id from joinery.event_keys k where k.key = event_meant.key));
end
$$;

-- True when the event was pending and will not be called any more; false when there is no such pending event, or its
-- call is under way.
create function joinery.cancel_event(id uuid default null, key text default null)
returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (select from joinery.cancel_events(array[joinery.event_meant(id, key)]));
end
$$;

-- True when the event was pending and is due at the new time; false as with cancel_event.
create function joinery.reschedule_event(schedule_at timestamptz, id uuid default null, key text default null)
returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform joinery.refuse(joinery.fault_in_event('https://any', schedule_at, 'null', null, null, null));
  return joinery.change_event(
    joinery.event_meant(id, key), null, schedule_at, null, null, null, null, null, null, null, false, null, null
  );
end
$$;

-- Advances the time that events go by. What comes due by that is due at once and counts as on time.
create function joinery.advance_event_clock(seconds double precision)
returns void
language plpgsql
as $$
declare
  before timestamptz := joinery.event_now();
begin
  insert into joinery.event_clock as c (id, ahead) values (1, make_interval(secs => seconds))
  on conflict (id) do update set ahead = c.ahead + excluded.ahead;
  update joinery.scheduled_events e set
    requeued_at = joinery.event_now(), lease = case when e.lease = 0 then 0 end
  where e.due_at > before and e.due_at <= joinery.event_now()
    and (coalesce(e.lease, 0) = 0 or e.due_at > before + interval '250 ms');
  perform joinery.wake_event_nodes('clock');
end
$$;

-- As 000002 has it, by the time that events go by.
create or replace function joinery.announce_events() returns trigger language plpgsql as $$
begin
  if exists (select from inserted where due_at <= joinery.event_now() + interval '5 seconds') then
    perform joinery.wake_event_nodes();
  end if;
  return null;
end
$$;
