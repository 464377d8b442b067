SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA joinery;

CREATE FUNCTION joinery.advance_event_clock(seconds double precision) RETURNS void
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION joinery.announce_actions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_catalog.pg_notify('joinery_actions', '');
  return null;
exception when feature_not_supported then
  return null;
end
$$;

CREATE FUNCTION joinery.announce_destinations() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform joinery.wake_event_nodes('destinations');
  return null;
end
$$;

CREATE FUNCTION joinery.announce_events() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if exists (select from inserted where due_at <= joinery.event_now() + interval '5 seconds') then
    perform joinery.wake_event_nodes();
  end if;
  return null;
end
$$;

CREATE FUNCTION joinery.cancel_event(id uuid DEFAULT NULL::uuid, key text DEFAULT NULL::text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return exists (select from joinery.cancel_events(array[joinery.event_meant(id, key)]));
end
$$;

CREATE FUNCTION joinery.cancel_events(ids uuid[]) RETURNS SETOF uuid
    LANGUAGE sql
    AS $$
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

CREATE FUNCTION joinery.change_event(event uuid, new_webhook text, new_time timestamp with time zone, new_payload json, new_headers json, retries integer, interval_seconds integer, timeout integer, tolerance integer, new_comment text, no_comment boolean, new_policy json, new_delivery json) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
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

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE joinery.scheduled_events (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    webhook text NOT NULL,
    schedule_at timestamp with time zone NOT NULL,
    payload json DEFAULT 'null'::json NOT NULL,
    headers json DEFAULT '[]'::json NOT NULL,
    num_retries integer DEFAULT 0 NOT NULL,
    retry_interval_seconds integer DEFAULT 10 NOT NULL,
    timeout_seconds integer DEFAULT 60 NOT NULL,
    tolerance_seconds integer DEFAULT 21600 NOT NULL,
    comment text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    next_retry_at timestamp with time zone,
    lease bigint,
    due_at timestamp with time zone GENERATED ALWAYS AS (COALESCE(next_retry_at, schedule_at)) STORED NOT NULL,
    lane text GENERATED ALWAYS AS ("left"("substring"(webhook, '^(?:[^/?#]*//)?[^/?#]*'::text), 255)) STORED NOT NULL,
    payload_bytes integer GENERATED ALWAYS AS (octet_length((payload)::text)) STORED NOT NULL,
    ordering_key text,
    retry_policy json,
    requeued_at timestamp with time zone,
    requeued_tries integer DEFAULT 0 NOT NULL,
    trigger_name text,
    catch_up_seconds integer,
    delivery json,
    CONSTRAINT scheduled_events_catch_up_seconds_check CHECK ((catch_up_seconds >= 0)),
    CONSTRAINT scheduled_events_headers_check CHECK ((json_typeof(headers) = 'array'::text)),
    CONSTRAINT scheduled_events_num_retries_check CHECK ((num_retries >= 0)),
    CONSTRAINT scheduled_events_ordering_key_check CHECK ((ordering_key <> ''::text)),
    CONSTRAINT scheduled_events_retry_interval_seconds_check CHECK ((retry_interval_seconds >= 0)),
    CONSTRAINT scheduled_events_schedule_at_check CHECK (isfinite(schedule_at)),
    CONSTRAINT scheduled_events_timeout_seconds_check CHECK ((timeout_seconds > 0)),
    CONSTRAINT scheduled_events_tolerance_seconds_check CHECK ((tolerance_seconds >= 0)),
    CONSTRAINT scheduled_events_webhook_check CHECK ((webhook <> ''::text))
)
WITH (autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='5000');

CREATE FUNCTION joinery.claim_events(holder bigint, ahead interval, most integer, except_lanes text[]) RETURNS SETOF joinery.scheduled_events
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  soon timestamptz := joinery.event_now() + ahead;
begin
  if not joinery.lease_is_valid(holder) then
    return;
  end if;
  perform set_config('synchronous_commit', 'off', true);
  return query
  with due as materialized (
    select e.id from joinery.scheduled_events e
    where e.lease is null
      and e.ordering_key is null
      and e.due_at <= soon
      and e.lane <> all (except_lanes)
    order by e.due_at
    limit most
    for update of e skip locked
  )
  update joinery.scheduled_events e set lease = holder from due where e.id = due.id
  returning e.*;
  if soon >= (
    select e.due_at from joinery.scheduled_events e
    where e.lease is null and e.ordering_key is not null order by e.due_at limit 1
  ) then
    return query select * from joinery.claim_ordered_events(holder, ahead, most, most, except_lanes);
  end if;
end
$$;

CREATE FUNCTION joinery.claim_events_by_lane(holder bigint, ahead interval, most integer, most_each integer, except_lanes text[]) RETURNS SETOF joinery.scheduled_events
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  soon timestamptz := joinery.event_now() + ahead;
begin
  if not joinery.lease_is_valid(holder) then
    return;
  end if;
  perform set_config('synchronous_commit', 'off', true);
  return query
  with recursive first as (
    (select e.lane, e.due_at from joinery.scheduled_events e
      where e.lease is null and e.ordering_key is null order by e.lane, e.due_at limit 1)
    union all
    select next.lane, next.due_at from first cross join lateral (
      select e.lane, e.due_at from joinery.scheduled_events e
      where e.lease is null and e.ordering_key is null and e.lane > first.lane
      order by e.lane, e.due_at limit 1
    ) next
  ),
  open_lane as materialized (
    select first.lane from first
    where first.due_at <= soon
      and first.lane <> all (except_lanes)
    order by first.due_at
    limit most
  ),
  due as materialized (
    select chosen.id from open_lane cross join lateral (
      select e.id from joinery.scheduled_events e
      where e.lease is null and e.ordering_key is null
        and e.lane = open_lane.lane and e.due_at <= soon
      order by e.due_at
      limit most_each
      for update of e skip locked
    ) chosen
    limit most
  )
  update joinery.scheduled_events e set lease = holder from due where e.id = due.id
  returning e.*;
  if soon >= (
    select e.due_at from joinery.scheduled_events e
    where e.lease is null and e.ordering_key is not null order by e.due_at limit 1
  ) then
    return query select * from joinery.claim_ordered_events(holder, ahead, most, most_each, except_lanes);
  end if;
end
$$;

CREATE FUNCTION joinery.claim_ordered_events(holder bigint, ahead interval, most integer, most_each integer, except_lanes text[]) RETURNS SETOF joinery.scheduled_events
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  soon timestamptz := joinery.event_now() + ahead;
  candidates uuid[];
  taken integer := 0;
  moved integer;
begin
  if not joinery.lease_is_valid(holder) then
    return;
  end if;
  for round in 1..100 loop
    with recursive first as (
      (select e.lane, e.due_at from joinery.scheduled_events e
        where e.lease is null and e.ordering_key is not null order by e.lane, e.due_at limit 1)
      union all
      select next.lane, next.due_at from first cross join lateral (
        select e.lane, e.due_at from joinery.scheduled_events e
        where e.lease is null and e.ordering_key is not null and e.lane > first.lane
        order by e.lane, e.due_at limit 1
      ) next
    ),
    open_lane as materialized (
      select first.lane from first
      where first.due_at <= soon
        and first.lane <> all (except_lanes)
      order by first.due_at
      limit most
    ),
    due as materialized (
      select chosen.id from open_lane cross join lateral (
        select e.id from joinery.scheduled_events e
        where e.lease is null and e.ordering_key is not null
          and e.lane = open_lane.lane and e.due_at <= soon
        order by e.due_at
        limit most_each
        for update of e skip locked
      ) chosen
      limit most
    )
    select array_agg(due.id) into candidates from due;
    exit when candidates is null;

    return query
    update joinery.scheduled_events e set lease = holder
    from unnest(candidates) as candidate (id)
    where e.id = candidate.id
      and not exists (
        select from joinery.scheduled_events f
        where f.ordering_key = e.ordering_key
          and (f.schedule_at, f.created_at, f.id) < (e.schedule_at, e.created_at, e.id)
      )
      and not exists (
        select from joinery.scheduled_events h where h.ordering_key = e.ordering_key and h.lease > 0
      )
    returning e.*;
    get diagnostics moved = row_count;
    taken := taken + moved;

    update joinery.scheduled_events e set lease = 0
    from unnest(candidates) as candidate (id) cross join lateral (
      select e.id from joinery.scheduled_events e where e.id = candidate.id and e.lease is null
    ) waiting cross join lateral (
      (select f.id from joinery.scheduled_events f, joinery.scheduled_events w
        where w.id = waiting.id and f.ordering_key = w.ordering_key
          and (f.schedule_at, f.created_at, f.id) < (w.schedule_at, w.created_at, w.id)
        order by f.ordering_key, f.schedule_at, f.created_at, f.id
        limit 1
        for share of f skip locked)
    ) before
    where e.id = waiting.id;
    get diagnostics moved = row_count;
    exit when moved = 0 or taken >= most;
  end loop;
end
$$;

CREATE FUNCTION joinery.event_ahead() RETURNS interval
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$ select coalesce((select c.ahead from joinery.event_clock c), interval '0') $$;

CREATE FUNCTION joinery.event_meant(id uuid, key text) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if (id is null) = (key is null) then
    perform joinery.refuse('give either id or key');
  end if;
  return coalesce(id, (select k.event_id from joinery.event_keys k where k.key = event_meant.key));
end
$$;

CREATE FUNCTION joinery.event_now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$ select statement_timestamp() + joinery.event_ahead() $$;

CREATE FUNCTION joinery.event_payload(payload json) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
begin
  if payload::text !~ '\\u|[0-9][eE]' then
    return payload::jsonb;
  end if;
  begin
    return payload::jsonb;
  exception when data_exception then
    return null;
  end;
end
$$;

CREATE FUNCTION joinery.fault_in_delivery(body text, signing jsonb, request_transform json) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION joinery.fault_in_event(webhook text, schedule_at timestamp with time zone, payload json, comment text, key text, ordering_key text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
$_$;

CREATE FUNCTION joinery.fault_in_headers(headers jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
$_$;

CREATE FUNCTION joinery.fault_in_retry_conf(retry_conf jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
$_$;

CREATE FUNCTION joinery.forget_event_keys() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from joinery.event_keys k using removed r where k.event_id = r.id;
  return null;
end
$$;

CREATE FUNCTION joinery.insert_keyed_events(ids uuid[], webhooks text[], times timestamp with time zone[], payloads text[], all_headers text[], retries integer[], intervals integer[], timeouts integer[], tolerances integer[], comments text[], keys text[], ordering_keys text[], policies text[], deliveries text[]) RETURNS TABLE(place integer, event_id uuid)
    LANGUAGE plpgsql
    AS $$
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
      insert into joinery.event_keys as k (key, event_id, digest)
      select g.key, g.id, g.digest from given g where g.key is not null order by g.key
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

CREATE FUNCTION joinery.lease_is_valid(lease bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return exists (
    select from joinery.event_leases l
    where l.id = lease_is_valid.lease and l.expires_at > clock_timestamp() and not l.draining
  );
end
$$;

CREATE FUNCTION joinery.mend_event_order() RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  freed integer;
begin
  with recursive keys as (
    (select e.ordering_key from joinery.scheduled_events e
      where e.ordering_key is not null and e.lease is not null order by e.ordering_key limit 1)
    union all
    select next.ordering_key from keys cross join lateral (
      select e.ordering_key from joinery.scheduled_events e
      where e.ordering_key > keys.ordering_key and e.lease is not null order by e.ordering_key limit 1
    ) next
  )
  update joinery.scheduled_events e set lease = null
  from keys cross join lateral (
    select f.id from joinery.scheduled_events f where f.ordering_key = keys.ordering_key
    order by f.ordering_key, f.schedule_at, f.created_at, f.id limit 1
  ) head
  where e.id = head.id and e.lease is not distinct from 0;
  get diagnostics freed = row_count;
  return freed;
end
$$;

CREATE FUNCTION joinery.next_in_order() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  head record;
begin
  select f.id, f.due_at, f.lease into head from joinery.scheduled_events f where f.ordering_key = old.ordering_key
  order by f.ordering_key, f.schedule_at, f.created_at, f.id limit 1;
  if head.lease = 0 then
    update joinery.scheduled_events e set lease = null where e.id = head.id and e.lease is not distinct from 0;
  end if;
  if head.due_at <= joinery.event_now() + interval '5 seconds' then
    perform joinery.wake_event_nodes();
  end if;
  return null;
end
$$;

CREATE FUNCTION joinery.redeliver_events(ids uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql
    AS $$
declare
  keys json;
begin
  select json_agg(k) into keys from joinery.event_keys k where k.event_id = any (ids);
  return query
  with gone as (delete from joinery.processed_events p where p.id = any (ids) returning p.*)
  insert into joinery.scheduled_events as e (
    id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
    tolerance_seconds, comment, created_at, tries, next_retry_at, ordering_key, retry_policy, trigger_name,
    delivery, requeued_at, requeued_tries
  )
  select g.id, g.webhook, g.schedule_at, g.payload, g.headers, g.num_retries, g.retry_interval_seconds,
    g.timeout_seconds, g.tolerance_seconds, g.comment, g.created_at, g.tries, joinery.event_now(), g.ordering_key,
    g.retry_policy, g.trigger_name, g.delivery, joinery.event_now(), g.tries
  from gone g
  returning e.id;
  insert into joinery.event_keys select k.* from json_populate_recordset(null::joinery.event_keys, keys) k;
end
$$;

CREATE FUNCTION joinery.refuse(message text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if message is not null then
    raise exception '%', message using errcode = 'invalid_parameter_value';
  end if;
end
$$;

CREATE FUNCTION joinery.reschedule_event(schedule_at timestamp with time zone, id uuid DEFAULT NULL::uuid, key text DEFAULT NULL::text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform joinery.refuse(joinery.fault_in_event('https://any', schedule_at, 'null', null, null, null));
  return joinery.change_event(
    joinery.event_meant(id, key), null, schedule_at, null, null, null, null, null, null, null, false, null, null
  );
end
$$;

CREATE FUNCTION joinery.run_event_now(event uuid) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  update joinery.scheduled_events e
  set next_retry_at = joinery.event_now(), requeued_at = joinery.event_now(), lease = null
  where e.id = event and (coalesce(e.lease, 0) = 0 or e.due_at > joinery.event_now() + interval '250 ms');
  if not found then
    return false;
  end if;
  perform joinery.wake_event_nodes();
  return true;
end
$$;

CREATE FUNCTION joinery.schedule_event(webhook text, schedule_at timestamp with time zone, payload json, headers jsonb DEFAULT '[]'::jsonb, retry_conf jsonb DEFAULT '{}'::jsonb, comment text DEFAULT NULL::text, key text DEFAULT NULL::text, ordering_key text DEFAULT NULL::text, body text DEFAULT NULL::text, signing jsonb DEFAULT NULL::jsonb, request_transform json DEFAULT NULL::json) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION joinery.schedule_event(webhook text, schedule_at timestamp with time zone, payload jsonb, headers jsonb DEFAULT '[]'::jsonb, retry_conf jsonb DEFAULT '{}'::jsonb, comment text DEFAULT NULL::text, key text DEFAULT NULL::text, ordering_key text DEFAULT NULL::text, body text DEFAULT NULL::text, signing jsonb DEFAULT NULL::jsonb, request_transform json DEFAULT NULL::json) RETURNS uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select joinery.schedule_event(
    webhook, schedule_at, payload::json, headers, retry_conf, comment, key, ordering_key, body, signing,
    request_transform
  )
$$;

CREATE FUNCTION joinery.schedule_event(webhook text, schedule_at timestamp with time zone, payload text, headers jsonb DEFAULT '[]'::jsonb, retry_conf jsonb DEFAULT '{}'::jsonb, comment text DEFAULT NULL::text, key text DEFAULT NULL::text, ordering_key text DEFAULT NULL::text, body text DEFAULT NULL::text, signing jsonb DEFAULT NULL::jsonb, request_transform json DEFAULT NULL::json) RETURNS uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select joinery.schedule_event(
    webhook, schedule_at, payload::json, headers, retry_conf, comment, key, ordering_key, body, signing,
    request_transform
  )
$$;

CREATE FUNCTION joinery.settle_events(outcomes json, sent_agent text) RETURNS SETOF uuid
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return query
  with outcome as materialized (
    select * from json_to_recordset(outcomes) as o (
      id uuid, lease bigint, status text, retry_ms double precision, keep boolean,
      attempt integer, started_ms double precision, duration_ms integer, code integer, response json,
      unlogged boolean
    )
  ),
  finished as (
    delete from joinery.scheduled_events e using outcome o
    where o.status is not null and e.id = o.id and e.lease is not distinct from o.lease and e.tries = o.attempt - 1
    returning e.*, o.status as final_status, case when o.status = 'dead' then e.tries else o.attempt end as final_tries
  ),
  processed as (
    insert into joinery.processed_events (
      id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
      tolerance_seconds, comment, created_at, tries, status, ordering_key, retry_policy, trigger_name, delivery
    )
    select f.id, f.webhook, f.schedule_at, f.payload, f.headers, f.num_retries, f.retry_interval_seconds,
      f.timeout_seconds, f.tolerance_seconds, f.comment, f.created_at, f.final_tries, f.final_status,
      f.ordering_key, f.retry_policy, f.trigger_name, f.delivery
    from finished f
    on conflict (id) do nothing
  ),
  waiting as (
    update joinery.scheduled_events e
    set tries = o.attempt, next_retry_at = to_timestamp(o.retry_ms / 1000), lease = case when o.keep then e.lease end
    from outcome o
    where o.status is null and e.id = o.id and e.lease is not distinct from o.lease and e.tries = o.attempt - 1
    returning e.id
  ),
  settled as materialized (select f.id from finished f union all select w.id from waiting w),
  logged as (
    insert into joinery.event_invocations (
      event_id, attempt, agent, started_at, duration_ms, status, response
    )
    select o.id, o.attempt, sent_agent, to_timestamp(o.started_ms / 1000), o.duration_ms, o.code, o.response
    from outcome o where (o.id in (select s.id from settled s)) is true and o.unlogged is not true
  )
  select o.id from outcome o where o.id not in (select s.id from settled s);
end
$$;

CREATE FUNCTION joinery.sweep_actions() RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  freed integer;
begin
  if clock_timestamp() < pg_postmaster_start_time() + interval '5 seconds' then
    return 0;
  end if;
  delete from joinery.event_leases l where l.expires_at < clock_timestamp();
  update joinery.action_log a set status = 'created', lease = null
  where a.lease is not null and not exists (select from joinery.event_leases l where l.id = a.lease);
  get diagnostics freed = row_count;
  return freed;
end
$$;

CREATE FUNCTION joinery.sweep_events() RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  freed integer;
begin
  if clock_timestamp() < pg_postmaster_start_time() + interval '5 seconds' then
    return 0;
  end if;
  delete from joinery.event_leases l where l.expires_at < clock_timestamp();
  with recursive held as (
    (select e.lease from joinery.scheduled_events e where e.lease > 0 order by e.lease limit 1)
    union all
    select next.lease from held cross join lateral (
      select e.lease from joinery.scheduled_events e where e.lease > held.lease order by e.lease limit 1
    ) next
  )
  update joinery.scheduled_events e set lease = null from held
  where e.lease = held.lease and not exists (select from joinery.event_leases l where l.id = held.lease);
  get diagnostics freed = row_count;
  return freed;
end
$$;

CREATE FUNCTION joinery.wake_event_nodes(what text DEFAULT ''::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_catalog.pg_notify('joinery_events', what);
exception when feature_not_supported then
  return;
end
$$;

CREATE FUNCTION joinery.written_delivery(body text, signing jsonb, request_transform json) RETURNS json
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select json_object_agg(m.key, m.value) from (
    select 'body' as key, to_json(written_delivery.body) as value where written_delivery.body = 'payload'
    union all select 'signing', signing::json where signing <> 'null'
    union all select 'request_transform', request_transform where json_typeof(request_transform) <> 'null'
  ) m
$$;

CREATE TABLE public.author (
    id integer NOT NULL,
    name text NOT NULL,
    user_id integer
);

CREATE FUNCTION public.books_of(author_row public.author) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$ select count(*) from book where author_id = author_row.id $$;

CREATE TABLE joinery.action_log (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    action_name text NOT NULL,
    input_payload json NOT NULL,
    request_headers jsonb DEFAULT '{}'::jsonb NOT NULL,
    session_variables jsonb NOT NULL,
    response_payload json,
    errors json,
    status text DEFAULT 'created'::text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    response_received_at timestamp with time zone,
    tries integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    lease bigint,
    CONSTRAINT action_log_status_check CHECK ((status = ANY (ARRAY['created'::text, 'processing'::text, 'completed'::text, 'error'::text])))
);

CREATE TABLE joinery.catalog_state (
    id smallint DEFAULT 1 NOT NULL,
    installation_id uuid DEFAULT gen_random_uuid() NOT NULL,
    cli_state jsonb DEFAULT '{}'::jsonb NOT NULL,
    console_state jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT catalog_state_id_check CHECK ((id = 1))
);

CREATE TABLE joinery.cron_plans (
    trigger_name text NOT NULL,
    definition text NOT NULL,
    planned_until timestamp with time zone NOT NULL
);

CREATE TABLE joinery.event_clock (
    id smallint NOT NULL,
    ahead interval NOT NULL,
    CONSTRAINT event_clock_id_check CHECK ((id = 1))
);

CREATE TABLE joinery.event_destinations (
    destination text NOT NULL,
    concurrency integer,
    rate_per_second double precision,
    paused boolean DEFAULT false NOT NULL,
    circuit_opened_at timestamp with time zone,
    probe_at timestamp with time zone,
    probes integer DEFAULT 0 NOT NULL,
    circuit_reason text,
    CONSTRAINT event_destinations_concurrency_check CHECK ((concurrency > 0)),
    CONSTRAINT event_destinations_rate_per_second_check CHECK ((rate_per_second > (0)::double precision))
);

CREATE TABLE joinery.event_invocations (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    event_id uuid NOT NULL,
    attempt integer NOT NULL,
    agent text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status integer,
    response json NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE joinery.event_keys (
    key text NOT NULL,
    event_id uuid NOT NULL,
    digest text NOT NULL,
    CONSTRAINT event_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);

CREATE TABLE joinery.event_leases (
    id bigint NOT NULL,
    node text NOT NULL,
    taken_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    draining boolean DEFAULT false NOT NULL
);

ALTER TABLE joinery.event_leases ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME joinery.event_leases_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE joinery.function_migrations (
    name text NOT NULL,
    hash text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE joinery.metadata (
    id smallint NOT NULL,
    resource_version bigint NOT NULL,
    metadata json NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT metadata_id_check CHECK ((id = 1))
);

CREATE TABLE joinery.migrations (
    version integer NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE joinery.nodes (
    id text NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    version text NOT NULL,
    components text[] NOT NULL,
    started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE joinery.processed_events (
    id uuid NOT NULL,
    webhook text NOT NULL,
    schedule_at timestamp with time zone NOT NULL,
    payload json NOT NULL,
    headers json NOT NULL,
    num_retries integer NOT NULL,
    retry_interval_seconds integer NOT NULL,
    timeout_seconds integer NOT NULL,
    tolerance_seconds integer NOT NULL,
    comment text,
    created_at timestamp with time zone NOT NULL,
    tries integer NOT NULL,
    status text NOT NULL,
    processed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ordering_key text,
    retry_policy json,
    trigger_name text,
    delivery json,
    CONSTRAINT processed_events_status_check CHECK ((status = ANY (ARRAY['delivered'::text, 'error'::text, 'dead'::text, 'cancelled'::text])))
);

CREATE TABLE joinery.remote_introspections (
    name text NOT NULL,
    origin text NOT NULL,
    introspection text NOT NULL,
    read_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE joinery.request_counts (
    caller text NOT NULL,
    minute bigint NOT NULL,
    taken integer NOT NULL,
    granted integer NOT NULL
);

CREATE SEQUENCE public.author_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.author_id_seq OWNED BY public.author.id;

CREATE TABLE public.book (
    id integer NOT NULL,
    author_id integer NOT NULL,
    title text NOT NULL,
    price numeric
);

CREATE SEQUENCE public.book_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.book_id_seq OWNED BY public.book.id;

ALTER TABLE ONLY public.author ALTER COLUMN id SET DEFAULT nextval('public.author_id_seq'::regclass);

ALTER TABLE ONLY public.book ALTER COLUMN id SET DEFAULT nextval('public.book_id_seq'::regclass);

INSERT INTO joinery.action_log VALUES
	('b440c5ea-2762-49f1-b36f-8fd7e8564e0a', 'orderBook', '{"title":"One"}', '{}', '{"x-service-role": "admin"}', '{"author_id":1,"note":"found"}', NULL, 'completed', '2026-11-28 11:28:50.789539+00', '2026-11-28 11:28:50.878231+00', 1, '2026-11-28 11:28:50.789539+00', NULL);

INSERT INTO joinery.catalog_state VALUES
	(1, '567b07cb-6384-4ce6-93cb-36b7492049e8', '{}', '{}');

INSERT INTO joinery.cron_plans VALUES
	('yearly', '{"webhook":"{{HANDLERS}}/cron","schedule":"0 0 1 1 *","payload":{"of":"year"},"headers":[],"retry_conf":{},"comment":null,"timezone":null,"catch_up":true}', '2046-01-01 00:00:00+00');

INSERT INTO joinery.event_invocations VALUES
	('df4cabca-821b-49a0-af00-3514a6156042', '525c39ff-cc80-44b3-8650-71b0f548717f', 1, 'joinery/0.1.0', '2026-11-28 11:28:50.025894+00', 135, 200, '{"type":"webhook_response","data":{"body":"{\"author_id\":1,\"note\":\"found\"}","headers":[{"name":"content-type","value":"application/json"},{"name":"Date","value":"Sat, 28 Nov 2026 11:28:50 GMT"},{"name":"Connection","value":"keep-alive"},{"name":"Keep-Alive","value":"timeout=5"},{"name":"Transfer-Encoding","value":"chunked"}],"status":200},"version":"1"}', '2026-11-28 11:28:50.762176+00'),
	('66bb686e-0937-4159-9661-b34d632765c7', 'f8ae9373-c02f-4250-a750-fab4fbc45528', 1, 'joinery/0.1.0', '2026-11-28 11:28:50.109042+00', 160, 500, '{"type":"client_error","data":{"message":"{\"message\":\"broken\"}","headers":[{"name":"content-type","value":"application/json"},{"name":"Date","value":"Sat, 28 Nov 2026 11:28:50 GMT"},{"name":"Connection","value":"keep-alive"},{"name":"Keep-Alive","value":"timeout=5"},{"name":"Transfer-Encoding","value":"chunked"}],"status":500},"version":"1"}', '2026-11-28 11:28:50.788209+00');

INSERT INTO joinery.function_migrations VALUES
	('advance_event_clock', '65455a564223a646eb52f49bde32b5d176745a212f0be0637ddd97cc4e368245', '2026-11-28 11:28:30.566805+00'),
	('announce_actions', 'd2fe3c57ecbb4f7e86509a589952797705844d7f66c71826e1288bcbcc29cc1e', '2026-11-28 11:28:30.566805+00'),
	('announce_destinations', '6ccc55b87e118c55161e5404d45a32f02db2dba12154a097424fc94ade7ac0a1', '2026-11-28 11:28:30.566805+00'),
	('announce_events', '5a7d6289a655994f703d59d6a4da123acd4eaa70b7017c964317f6e242882cee', '2026-11-28 11:28:30.566805+00'),
	('cancel_event', '9d8dbd6c5d4f4bdb4546a7c2bfb69ebc98b4f399a06c52b120f18342f9bd572e', '2026-11-28 11:28:30.566805+00'),
	('cancel_events', '441b6f4f4c207edd202251e8416ab23c500ae63a99e1343c11ef92392776da1a', '2026-11-28 11:28:30.566805+00'),
	('change_event', '852afc022d05081192e5a390842ade8e5625a2e0a24805b0b956eb3dcae261f5', '2026-11-28 11:28:30.566805+00'),
	('claim_events', '9eed5d2f9688dc4f26556b59db4e04797b1b4e80a38cccbab54c10ffa73ee7ae', '2026-11-28 11:28:30.566805+00'),
	('claim_events_by_lane', '44d1f15644ce8761311bb7cae13576f5d2788bc439a56784071e7b397852a1f9', '2026-11-28 11:28:30.566805+00'),
	('claim_ordered_events', 'a6127d71fc6ed2de3bd290abdc871bbab980f34b3985d9691ee34a2f672121d0', '2026-11-28 11:28:30.566805+00'),
	('event_ahead', '4c710a26e8fc6279fd266078d57d8bdcc12471bd60c81da578bd9ae43fca1e36', '2026-11-28 11:28:30.566805+00'),
	('event_meant', 'f52afb00d0ce02615e08fb434e0c23a13666c6f19c530c0a20365eef9a119582', '2026-11-28 11:28:30.566805+00'),
	('event_now', 'ce18050dd022e8aeb2fe1d3eae35f4b4f60dab1c07a833efe8fa2856602c0a68', '2026-11-28 11:28:30.566805+00'),
	('event_payload', 'fa2ece2127251db2ae5cb692550a46f5d55a85905ce24ed8ecf1dfbc6fe3c56e', '2026-11-28 11:28:30.566805+00'),
	('fault_in_delivery', '02eef6039dd2e99ed34f8658a967265457df154aa51eb563775008de2218411a', '2026-11-28 11:28:30.566805+00'),
	('fault_in_event', 'ea5b9689e8d1717acf775e435f8b038d1fef28b335857c02fec95cbc01b9c7d3', '2026-11-28 11:28:30.566805+00'),
	('fault_in_headers', '9eccd05e914faa566d5f3df844400d649b61c5b0e0ee8fba8446c7cfc278cf1a', '2026-11-28 11:28:30.566805+00'),
	('fault_in_retry_conf', '338e7549f574695d471ad30e1dae7a2d21b9a88208bc60578a2b75d33eed263e', '2026-11-28 11:28:30.566805+00'),
	('forget_event_keys', '71c1df32e591056f230c833ef94a08da9fe693339348c3f14b7a1527e21e576f', '2026-11-28 11:28:30.566805+00'),
	('insert_keyed_events', '6f384876ab2d2aa50190ea2e17d100ea5dbea5309cb99c904b9fad4987f00a55', '2026-11-28 11:28:30.566805+00'),
	('lease_is_valid', 'c72f821e4aa524610d30e62036beb51ccbf5006aac8df83c85e48140f8d7737b', '2026-11-28 11:28:30.566805+00'),
	('mend_event_order', 'f8330fcfa6b5fb6235c937d5f1babf24f8a72012986a1b41d88b8616bcde648e', '2026-11-28 11:28:30.566805+00'),
	('next_in_order', '333139cab837cdeb83c290f45693c56c69ff3c2872b3b84fe410879a735e3247', '2026-11-28 11:28:30.566805+00'),
	('redeliver_events', '0c6ff1787e53d0e66041e80b63d0143a57078a34112a4ff9476d48be32e948ca', '2026-11-28 11:28:30.566805+00'),
	('refuse', '3266daa18ca15ebb1f24c8c6f36f65b4b348973387ef73035d6755584b046952', '2026-11-28 11:28:30.566805+00'),
	('reschedule_event', '53b7d8f92ea0adb033f50bb06dc9a1031c73450a228047a0f9a39ceeaf9940c2', '2026-11-28 11:28:30.566805+00'),
	('run_event_now', '8d54e9d429ea45498e8dac06ec7a7d9bc15816b865af9e915afcb6f008bdcdf5', '2026-11-28 11:28:30.566805+00'),
	('schedule_event', '6756198e10ee228de4a322bd8bb7ac15bb00b19d713bc63b8c0e07aa492f6311', '2026-11-28 11:28:30.566805+00'),
	('settle_events', '2a16a1a55f1df277450074786f00e17a7eba41b7a2361defbf2b7e730513b892', '2026-11-28 11:28:30.566805+00'),
	('sweep_actions', '9229bf0e36511ed4dbc92275ea2cd32a4392573121f9ee708c2e5405bc1e82a7', '2026-11-28 11:28:30.566805+00'),
	('sweep_events', '775d3fc3b7ef9eca398466b8cf7235687a2348532be3f86e0c316c50d3fc61de', '2026-11-28 11:28:30.566805+00'),
	('wake_event_nodes', 'b70e0558e98045f2af29766ac59d2c528091a8dede88394a19dc9e393e5f7fa4', '2026-11-28 11:28:30.566805+00'),
	('written_delivery', '73b53f31c64f9b702abef07bcbdd31089e425c729c78dfc02b1bc71fc617dc66', '2026-11-28 11:28:30.566805+00');

INSERT INTO joinery.metadata VALUES
	(1, 17, '{"version":3,"sources":[{"name":"default","kind":"postgres","tables":[{"table":{"name":"author","schema":"public"},"array_relationships":[{"name":"books","using":{"foreign_key_constraint_on":{"column":"author_id","table":{"name":"book","schema":"public"}}}}],"computed_fields":[{"name":"book_count","definition":{"function":{"name":"books_of","schema":"public"}}}],"select_permissions":[{"role":"user","permission":{"columns":["id","name"],"filter":{"user_id":{"_eq":"X-Service-User-Id"}},"allow_aggregations":true}}]},{"table":{"name":"book","schema":"public"},"object_relationships":[{"name":"author","using":{"foreign_key_constraint_on":"author_id"}}],"insert_permissions":[{"role":"user","permission":{"check":{"author":{"user_id":{"_eq":"X-Service-User-Id"}}},"set":{"price":1},"columns":["title","author_id"]}}],"select_permissions":[{"role":"user","permission":{"columns":"*","filter":{"author":{"user_id":{"_eq":"X-Service-User-Id"}}},"limit":10}}]}]}],"query_collections":[{"name":"stored","definition":{"queries":[{"name":"authors","query":"query authors { author(order_by: {id: asc}) { name books { title } } }"}]}}],"actions":[{"name":"findAuthor","definition":{"handler":"{{HANDLERS}}/find","output_type":"Found","arguments":[{"name":"name","type":"String!"}],"type":"query"},"permissions":[{"role":"user"}]},{"name":"orderBook","definition":{"handler":"{{HANDLERS}}/order","output_type":"Found","arguments":[{"name":"title","type":"String!"}],"type":"mutation","kind":"asynchronous"}}],"custom_types":{"objects":[{"name":"Found","fields":[{"name":"author_id","type":"Int!"},{"name":"note","type":"String"}],"relationships":[{"name":"author","type":"object","source":"default","remote_table":{"name":"author","schema":"public"},"field_mapping":{"author_id":"id"}}]}]},"cron_triggers":[{"name":"yearly","webhook":"{{HANDLERS}}/cron","schedule":"0 0 1 1 *","include_in_metadata":true,"payload":{"of":"year"}}],"rest_endpoints":[{"definition":{"query":{"collection_name":"stored","query_name":"authors"}},"methods":["GET"],"name":"authors","url":"authors"}],"inherited_roles":[{"role_name":"reader","role_set":["user","guest"]}]}', '2026-11-28 11:28:49.186198+00');

INSERT INTO joinery.migrations VALUES
	(0, '2026-11-28 11:28:27.213018+00'),
	(1, '2026-11-28 11:28:27.452324+00'),
	(2, '2026-11-28 11:28:27.739242+00'),
	(3, '2026-11-28 11:28:27.985322+00'),
	(4, '2026-11-28 11:28:28.338944+00'),
	(5, '2026-11-28 11:28:29.79364+00'),
	(6, '2026-11-28 11:28:29.908898+00'),
	(7, '2026-11-28 11:28:30.021832+00'),
	(8, '2026-11-28 11:28:30.11692+00'),
	(9, '2026-11-28 11:28:30.243599+00'),
	(10, '2026-11-28 11:28:30.385373+00');

INSERT INTO joinery.processed_events VALUES
	('525c39ff-cc80-44b3-8650-71b0f548717f', '{{HANDLERS}}/hook', '2026-11-28 11:26:32.158+00', '"delivered"', '[]', 0, 10, 60, 21600, 'first', '2026-11-28 11:28:49.964075+00', 1, 'delivered', '2026-11-28 11:28:50.762803+00', NULL, NULL, NULL, NULL),
	('f8ae9373-c02f-4250-a750-fab4fbc45528', '{{HANDLERS}}/broken', '2026-11-28 11:26:32.158+00', '"failed"', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:50.029362+00', 1, 'error', '2026-11-28 11:28:50.788744+00', NULL, NULL, NULL, NULL);

INSERT INTO joinery.scheduled_events VALUES
	('fe6009cb-04fb-49ca-97d2-3e3637e3a964', '{{HANDLERS}}/cron', '2027-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('5d0c25fb-648e-4463-ab4b-ba974c8ff19d', '{{HANDLERS}}/cron', '2028-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('e1f110c9-261d-4259-9f55-68bd4948a6bb', '{{HANDLERS}}/cron', '2029-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('d6cc921b-4d96-460a-925a-821eeabffe5e', '{{HANDLERS}}/cron', '2030-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('8fe915f8-9bfd-45b2-8710-201eb78c4576', '{{HANDLERS}}/cron', '2031-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('af21c6f8-2326-4a0c-b0e5-c5e4fd81b69b', '{{HANDLERS}}/cron', '2032-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('27699266-88e8-40b4-b0ca-b6cad1cee136', '{{HANDLERS}}/cron', '2033-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('63692744-e57a-45e6-b169-936c07b469d9', '{{HANDLERS}}/cron', '2034-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('b5acf5c8-5764-4b59-bf41-43eb27ce92e1', '{{HANDLERS}}/cron', '2035-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('154d9252-e777-4c61-bda1-e697aecf6035', '{{HANDLERS}}/cron', '2036-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('45b9c71b-a1b3-4677-8a36-0ee3d12d84be', '{{HANDLERS}}/cron', '2037-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('0f820d02-34d0-4023-8a3a-1cc676fc9be4', '{{HANDLERS}}/cron', '2038-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('ae16a799-f8ca-4a7b-a0e5-36c80f03e6ac', '{{HANDLERS}}/cron', '2039-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('98ff7281-5eff-4603-95a2-748d8c153e0c', '{{HANDLERS}}/cron', '2040-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('479e35f5-bca9-4d93-8b5a-a6a152b8e00f', '{{HANDLERS}}/cron', '2041-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('9e528486-d775-4452-b27e-75807ad4a2e4', '{{HANDLERS}}/cron', '2042-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('986368b6-bb3d-4170-9e78-e0e15feb8a05', '{{HANDLERS}}/cron', '2043-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('ac9cd546-23c7-4fa5-99d0-bad0099f25c4', '{{HANDLERS}}/cron', '2044-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('52769339-981c-4e04-b8c7-f1636beb9a9d', '{{HANDLERS}}/cron', '2045-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('babedb32-844e-406c-94d9-85d0642d14b1', '{{HANDLERS}}/cron', '2046-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:49.170797+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('5ff1e342-e2bd-4f21-afb0-f62da848f161', '{{HANDLERS}}/hook', '2099-01-01 00:00:00+00', '"later"', '[{"name":"x-shop","value":"roastery"}]', 0, 10, 60, 21600, NULL, '2026-11-28 11:28:50.160816+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, NULL, NULL, NULL);

INSERT INTO public.author VALUES
	(1, 'Ann', 1),
	(2, 'Ben', 2);

INSERT INTO public.book VALUES
	(1, 1, 'One', 10.50),
	(2, 1, 'Two', NULL),
	(3, 2, 'Three', 3),
	(4, 2, 'Four', NULL),
	(5, 1, 'written while no node ran', NULL);

SELECT pg_catalog.setval('joinery.event_leases_id_seq', 2, true);

SELECT pg_catalog.setval('public.author_id_seq', 2, true);

SELECT pg_catalog.setval('public.book_id_seq', 5, true);

ALTER TABLE ONLY joinery.action_log
    ADD CONSTRAINT action_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.catalog_state
    ADD CONSTRAINT catalog_state_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.cron_plans
    ADD CONSTRAINT cron_plans_pkey PRIMARY KEY (trigger_name);

ALTER TABLE ONLY joinery.event_clock
    ADD CONSTRAINT event_clock_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.event_destinations
    ADD CONSTRAINT event_destinations_pkey PRIMARY KEY (destination);

ALTER TABLE ONLY joinery.event_invocations
    ADD CONSTRAINT event_invocations_pkey PRIMARY KEY (event_id, id);

ALTER TABLE ONLY joinery.event_keys
    ADD CONSTRAINT event_keys_event_id_key UNIQUE (event_id);

ALTER TABLE ONLY joinery.event_keys
    ADD CONSTRAINT event_keys_pkey PRIMARY KEY (key);

ALTER TABLE ONLY joinery.event_leases
    ADD CONSTRAINT event_leases_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.function_migrations
    ADD CONSTRAINT function_migrations_pkey PRIMARY KEY (name);

ALTER TABLE ONLY joinery.metadata
    ADD CONSTRAINT metadata_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY joinery.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.processed_events
    ADD CONSTRAINT processed_events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.remote_introspections
    ADD CONSTRAINT remote_introspections_pkey PRIMARY KEY (name);

ALTER TABLE ONLY joinery.request_counts
    ADD CONSTRAINT request_counts_pkey PRIMARY KEY (caller);

ALTER TABLE ONLY joinery.scheduled_events
    ADD CONSTRAINT scheduled_events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.author
    ADD CONSTRAINT author_name_key UNIQUE (name);

ALTER TABLE ONLY public.author
    ADD CONSTRAINT author_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.book
    ADD CONSTRAINT book_pkey PRIMARY KEY (id);

CREATE INDEX action_log_done ON joinery.action_log USING btree (response_received_at) WHERE (response_received_at IS NOT NULL);

CREATE INDEX action_log_due ON joinery.action_log USING btree (action_name, due_at) WHERE (status = 'created'::text);

CREATE INDEX action_log_lease ON joinery.action_log USING btree (lease) WHERE (lease IS NOT NULL);

CREATE INDEX event_invocations_created_at ON joinery.event_invocations USING btree (created_at);

CREATE INDEX event_invocations_unsuccessful ON joinery.event_invocations USING btree (created_at) WHERE ((status IS NULL) OR ((status < 200) OR (status > 299)));

CREATE INDEX processed_events_processed_at ON joinery.processed_events USING btree (processed_at);

CREATE INDEX processed_events_schedule_at ON joinery.processed_events USING btree (schedule_at);

CREATE INDEX processed_events_trigger ON joinery.processed_events USING btree (trigger_name, schedule_at) WHERE (trigger_name IS NOT NULL);

CREATE INDEX processed_events_undelivered ON joinery.processed_events USING btree (schedule_at) WHERE (status <> 'delivered'::text);

CREATE INDEX scheduled_events_due ON joinery.scheduled_events USING btree (due_at) WHERE ((lease IS NULL) AND (ordering_key IS NULL));

CREATE INDEX scheduled_events_lane ON joinery.scheduled_events USING btree (lane, due_at) WHERE ((lease IS NULL) AND (ordering_key IS NULL));

CREATE INDEX scheduled_events_lease ON joinery.scheduled_events USING btree (lease) WHERE (lease IS NOT NULL);

CREATE INDEX scheduled_events_order ON joinery.scheduled_events USING btree (ordering_key, schedule_at, created_at, id) WHERE (ordering_key IS NOT NULL);

CREATE INDEX scheduled_events_order_due ON joinery.scheduled_events USING btree (due_at) WHERE ((lease IS NULL) AND (ordering_key IS NOT NULL));

CREATE INDEX scheduled_events_order_held ON joinery.scheduled_events USING btree (ordering_key, lease) WHERE ((ordering_key IS NOT NULL) AND (lease IS NOT NULL));

CREATE INDEX scheduled_events_order_lane ON joinery.scheduled_events USING btree (lane, due_at) WHERE ((lease IS NULL) AND (ordering_key IS NOT NULL));

CREATE INDEX scheduled_events_retried ON joinery.scheduled_events USING btree (schedule_at) WHERE ((lease IS NULL) AND (next_retry_at IS NOT NULL));

CREATE UNIQUE INDEX scheduled_events_trigger ON joinery.scheduled_events USING btree (trigger_name, schedule_at) WHERE (trigger_name IS NOT NULL);

CREATE TRIGGER announce_actions AFTER INSERT ON joinery.action_log FOR EACH STATEMENT EXECUTE FUNCTION joinery.announce_actions();

CREATE TRIGGER announce_destinations AFTER INSERT OR DELETE OR UPDATE ON joinery.event_destinations FOR EACH STATEMENT EXECUTE FUNCTION joinery.announce_destinations();

CREATE TRIGGER announce_events AFTER INSERT ON joinery.scheduled_events REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION joinery.announce_events();

CREATE TRIGGER forget_event_keys AFTER DELETE ON joinery.processed_events REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION joinery.forget_event_keys();

CREATE TRIGGER next_in_order_deleted AFTER DELETE ON joinery.scheduled_events FOR EACH ROW WHEN ((old.ordering_key IS NOT NULL)) EXECUTE FUNCTION joinery.next_in_order();

CREATE TRIGGER next_in_order_updated AFTER UPDATE OF lease, schedule_at, ordering_key ON joinery.scheduled_events FOR EACH ROW WHEN (((old.ordering_key IS NOT NULL) AND (((old.lease > 0) AND (new.lease IS NULL)) OR (old.schedule_at <> new.schedule_at) OR (old.ordering_key IS DISTINCT FROM new.ordering_key)))) EXECUTE FUNCTION joinery.next_in_order();

ALTER TABLE ONLY public.book
    ADD CONSTRAINT book_author_id_fkey FOREIGN KEY (author_id) REFERENCES public.author(id);

