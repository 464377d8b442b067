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

CREATE TYPE joinery.claimed_trigger_event AS (
	number integer,
	seq bigint,
	segment integer,
	batch bigint,
	id uuid,
	op text,
	old text,
	new text,
	large boolean,
	outdated boolean,
	session text,
	trace text,
	ordering_key text,
	created_at text,
	created_ms double precision,
	due_ms double precision,
	tries integer,
	requeued_ms double precision,
	requeued_tries integer,
	bytes integer
);

CREATE FUNCTION joinery.add_packed_statements(number integer, segment integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  known joinery.triggers;
  events text := format('trigger_%s_s%s', add_packed_statements.number, add_packed_statements.segment);
  packed text := events || '_packed';
  one name;
begin
  select * into strict known from joinery.triggers t where t.number = add_packed_statements.number;
  if known.unpack is null then
    return;
  end if;
  execute format(
    'create table joinery.%I (
      seq bigint primary key default nextval(%L),
      op "char" not null,
      rows integer not null,
      done integer not null default 0,
      session text,
      trace text,
      settings text[] not null,
      created_at timestamptz not null default now(),
      %s
    )', packed, known.sequence, known.packed);
  for one in
    select a.attname from pg_attribute a
    where a.attrelid = format('joinery.%I', packed)::regclass and a.attname ~ '^[on][0-9]+$'
  loop
    execute format('alter table joinery.%I alter column %I set storage external', packed, one);
  end loop;
  update joinery.trigger_segments s
  set unpack = array_to_string(known.unpack, 'joinery.' || quote_ident(events))
  where s.number = known.number and s.segment = add_packed_statements.segment;
end
$_$;

CREATE FUNCTION joinery.add_trigger(name text, table_schema text, table_name text, ordered boolean, owner text DEFAULT ''::text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  added integer;
begin
  insert into joinery.triggers (owner, name, table_schema, table_name, ordered)
  values (add_trigger.owner, add_trigger.name, add_trigger.table_schema, add_trigger.table_name, add_trigger.ordered)
  returning number into added;
  execute format('create sequence joinery.trigger_%s_seq maxvalue 281474976710655', added);
  update joinery.triggers t set sequence = format('joinery.trigger_%s_seq', added)::regclass where t.number = added;
  perform joinery.open_trigger_segment(added);
  return added;
end
$$;

CREATE FUNCTION joinery.adopt_database() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  known joinery.source_identity;
  own record;
begin
  select * into own from joinery.cluster_id();
  select * into strict known from joinery.source_identity for update;
  if known.restored_at is null and known.server_started is not distinct from pg_postmaster_start_time() then
    return true;
  end if;
  if known.restored_at is null and known.cluster <> own.cluster then
    update joinery.source_identity set restored_at = clock_timestamp();
    perform joinery.skip_event_numbers();
    perform joinery.open_trigger_segment(t.number) from joinery.triggers t;
    return false;
  end if;
  if known.restored_at is not null then
    perform joinery.seal_trigger_segments();
    if exists (
      select from joinery.trigger_segments s where s.opened_at < known.restored_at and s.drained_at is null and s.sealed_before is null
    ) then
      return false;
    end if;
    perform joinery.adopt_restored_events(t.number, known.restored_at) from joinery.triggers t;
  elsif known.timeline <> own.timeline then
    perform joinery.skip_event_numbers();
  end if;
  update joinery.source_identity
  set cluster = own.cluster, timeline = own.timeline, server_started = pg_postmaster_start_time(), restored_at = null;
  return true;
end
$$;

CREATE FUNCTION joinery.adopt_restored_events(number integer, restored timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  wanted constant integer := adopt_restored_events.number;
  place joinery.trigger_cursors;
  one joinery.trigger_segments;
begin
  for one in
    select s.* from joinery.trigger_segments s where s.number = wanted and s.opened_at < restored and s.drained_at is null
    order by s.segment
  loop
    select * into place from joinery.trigger_cursors c where c.number = wanted and c.ordered = one.ordered
    order by c.id desc limit 1;
    if one.ordered then
      execute format(
        'insert into joinery.trigger_work (number, seq, segment, xid, lease, ordering_key, stamp)
        select %1$s, e.seq, %2$s, e.xid, case when e.ordering_key is not null then 0 end, e.ordering_key, s.stamp
        from joinery.trigger_stamps s
        join joinery.trigger_%1$s_s%2$s e on e.xid = s.xid and e.seq >= s.first_seq and e.seq <= s.last_seq
        where s.number = %1$s and s.segment = %2$s
          and not ($1 is not null and s.stamp = $2 and e.seq <= $3)
        on conflict do nothing', wanted, one.segment)
      using place.upto, place.stamp, place.seq;
    else
      execute format(
        'insert into joinery.trigger_work (number, seq, segment, xid)
        select %1$s, e.seq, %2$s, e.xid from joinery.trigger_%1$s_s%2$s e
        where (
            e.seq > $5
            or not (
              pg_visible_in_snapshot(e.xid, $1)
              or $2 is not null and pg_visible_in_snapshot(e.xid, $2) and (%2$s, e.xid, e.seq) <= ($3, $4, $6)
            )
          )
          and not exists (select from joinery.trigger_%1$s_log_s%2$s l where l.seq = e.seq)
          and not exists (
            select from joinery.trigger_batches b where b.number = %1$s and b.segment = %2$s and e.seq = any (b.seqs)
          )
        on conflict do nothing', wanted, one.segment)
      using place.claimed, place.upto, place.segment, place.xid, place.seen, place.seq;
    end if;
  end loop;
  delete from joinery.trigger_stamps s
  using joinery.trigger_segments g
  where s.number = wanted and g.number = wanted and g.segment = s.segment and g.opened_at < restored;
  update joinery.trigger_segments s set drained_at = clock_timestamp()
  where s.number = wanted and s.opened_at < restored and s.drained_at is null;
  delete from joinery.trigger_cursors c where c.number = wanted;
  insert into joinery.trigger_cursors (number, ordered, claimed)
  select wanted, s.ordered, '1:1:' from (select distinct g.ordered from joinery.trigger_segments g where g.number = wanted) s;
  perform joinery.free_ordered_events(array_agg(w.number), array_agg(w.ordering_key))
  from (select distinct w.number, w.ordering_key from joinery.trigger_work w where w.number = wanted and w.ordering_key is not null) w;
end
$_$;

CREATE FUNCTION joinery.adopted_event_id(number integer, seq bigint) RETURNS uuid
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(
    (
      select a.id from joinery.trigger_adopted_events a
      where a.number = adopted_event_id.number and a.seq = adopted_event_id.seq
    ),
    joinery.event_id(adopted_event_id.number, adopted_event_id.seq)
  )
$$;

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
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  if exists (
    select from inserted
    where due_at operator(pg_catalog.<=) (
      pg_catalog.statement_timestamp() operator(pg_catalog.+) pg_catalog.interval '5 seconds'
      operator(pg_catalog.+) coalesce((select c.ahead from joinery.event_clock c), pg_catalog.interval '0')
    )
  ) then
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
  if exists (select from joinery.scheduled_events e where e.id = event and e.tries > 0) then
    update joinery.event_invocations l
    set request = (l.request::jsonb || jsonb_build_object('former', jsonb_build_object(
      'scheduled_time', to_char(e.schedule_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), 'comment', e.comment,
      'payload', e.payload::text, 'headers', e.headers::text, 'bare', coalesce(e.delivery ->> 'body' = 'payload', false)
    )))::json
    from joinery.scheduled_events e
    where e.id = event and l.event_id = event and l.created_at >= least(e.created_at, e.schedule_at) - interval '1 day'
      and l.request -> 'sent' is not null and l.request -> 'former' is null;
  end if;
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

CREATE FUNCTION joinery.claim_due_trigger_events(holder bigint, number integer, soon timestamp with time zone, most integer, inline integer) RETURNS SETOF joinery.claimed_trigger_event
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  one record;
begin
  for one in
    with due as materialized (
      select w.seq from joinery.trigger_work w
      where w.number = claim_due_trigger_events.number and w.lease is null and w.due_at <= soon
      order by w.due_at
      limit most
      for update of w skip locked
    ), claimed as (
      update joinery.trigger_work w set lease = holder from due
      where w.number = claim_due_trigger_events.number and w.seq = due.seq
      returning w.segment, w.seq, w.xid
    )
    select c.segment, array_agg(c.seq) as seqs, array_agg(c.xid) as xids from claimed c group by c.segment
  loop
    return query select * from joinery.trigger_work_events(number, one.segment, one.seqs, one.xids, inline);
  end loop;
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
    CONSTRAINT scheduled_events_headers_check CHECK ((json_typeof(headers) = 'array'::text)),
    CONSTRAINT scheduled_events_schedule_at_check CHECK (isfinite(schedule_at))
)
WITH (autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='5000');

CREATE FUNCTION joinery.claim_events(holder bigint, ahead interval, most integer, except_lanes text[]) RETURNS SETOF joinery.scheduled_events
    LANGUAGE sql
    AS $$ select * from joinery.claim_events(holder, ahead, most, except_lanes, false, '-infinity') $$;

CREATE FUNCTION joinery.claim_events(holder bigint, ahead interval, most integer, except_lanes text[], with_targets boolean) RETURNS SETOF joinery.scheduled_events
    LANGUAGE sql
    AS $$ select * from joinery.claim_events(holder, ahead, most, except_lanes, with_targets, '-infinity') $$;

CREATE FUNCTION joinery.claim_events(holder bigint, ahead interval, most integer, except_lanes text[], with_targets boolean, earliest timestamp with time zone) RETURNS SETOF joinery.scheduled_events
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
    select e.ctid as place from joinery.scheduled_events e
    where e.lease is null
      and e.ordering_key is null
      and e.due_at >= earliest
      and e.due_at <= soon
      and e.lane <> all (except_lanes)
      and (with_targets or e.delivery -> 'target' is null)
    order by e.due_at
    limit most
    for update of e skip locked
  )
  update joinery.scheduled_events e set lease = holder, next_retry_at = e.next_retry_at from due where e.ctid = due.place
  returning e.*;
  if soon >= (
    select e.due_at from joinery.scheduled_events e
    where e.lease is null and e.ordering_key is not null order by e.due_at limit 1
  ) then
    return query select * from joinery.claim_ordered_events(holder, ahead, most, most, except_lanes, with_targets);
  end if;
end
$$;

CREATE FUNCTION joinery.claim_events_by_lane(holder bigint, ahead interval, most integer, most_each integer, except_lanes text[]) RETURNS SETOF joinery.scheduled_events
    LANGUAGE sql
    AS $$ select * from joinery.claim_events_by_lane(holder, ahead, most, most_each, except_lanes, false) $$;

CREATE FUNCTION joinery.claim_events_by_lane(holder bigint, ahead interval, most integer, most_each integer, except_lanes text[], with_targets boolean) RETURNS SETOF joinery.scheduled_events
    LANGUAGE sql
    AS $$
  select * from joinery.claim_events_by_lane(holder, ahead, most, most_each, except_lanes, with_targets, '-infinity')
$$;

CREATE FUNCTION joinery.claim_events_by_lane(holder bigint, ahead interval, most integer, most_each integer, except_lanes text[], with_targets boolean, earliest timestamp with time zone) RETURNS SETOF joinery.scheduled_events
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
      where e.lease is null and e.ordering_key is null and e.due_at >= earliest order by e.lane, e.due_at limit 1)
    union all
    select next.lane, next.due_at from first cross join lateral (
      select e.lane, e.due_at from joinery.scheduled_events e
      where e.lease is null and e.ordering_key is null and e.lane > first.lane and e.due_at >= earliest
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
    select chosen.place from open_lane cross join lateral (
      select e.ctid as place from joinery.scheduled_events e
      where e.lease is null and e.ordering_key is null
        and e.lane = open_lane.lane and e.due_at >= earliest and e.due_at <= soon
        and (with_targets or e.delivery -> 'target' is null)
      order by e.due_at
      limit most_each
      for update of e skip locked
    ) chosen
    limit most
  )
  update joinery.scheduled_events e set lease = holder, next_retry_at = e.next_retry_at from due where e.ctid = due.place
  returning e.*;
  if soon >= (
    select e.due_at from joinery.scheduled_events e
    where e.lease is null and e.ordering_key is not null order by e.due_at limit 1
  ) then
    return query select * from joinery.claim_ordered_events(holder, ahead, most, most_each, except_lanes, with_targets);
  end if;
end
$$;

CREATE FUNCTION joinery.claim_new_trigger_events(holder bigint, number integer, most integer, inline integer) RETURNS SETOF joinery.claimed_trigger_event
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $_$
declare
  wanted constant integer := claim_new_trigger_events.number;
  remaining integer := most;
  before joinery.trigger_cursors;
  at joinery.trigger_cursors;
  lows xid8[];
  highs xid8[];
  one integer;
  pending boolean;
  batch bigint;
  claimed integer;
begin
  select * into before from joinery.trigger_cursors c where c.number = wanted and not c.ordered
  order by c.id desc limit 1 for update skip locked;
  if not found then
    return;
  end if;
  at := before;
  pending := before.upto is not null;
  for round in 1..(case when pending then 2 else 1 end) loop
    if at.upto is null then
      select coalesce(pg_sequence_last_value(t.sequence), 0) into at.quiet from joinery.triggers t where t.number = wanted;
      at.upto := joinery.claim_snapshot();
      if at.quiet <> at.seen then
        at.seen := at.quiet;
        at.seen_before := '0';
      elsif at.seen_before = '0' then
        at.seen_before := pg_current_xact_id();
      end if;
      at.segment := 0;
      at.xid := '0';
      at.seq := 0;
    end if;
    select array_agg(r.low order by r.low), array_agg(r.high order by r.low) into lows, highs from (
      select x as low, x as high from pg_snapshot_xip(at.claimed) x where pg_visible_in_snapshot(x, at.upto)
      union all
      select pg_snapshot_xmax(at.claimed), pg_snapshot_xmax(at.upto)
    ) r;
    for one in
      select s.segment from joinery.trigger_segments s
      where s.number = wanted and not s.ordered and s.segment >= at.segment and s.drained_at is null
      order by s.segment
    loop
      if one <> at.segment then
        at.segment := one;
        at.xid := '0';
        at.seq := 0;
      end if;
      batch := nextval('joinery.trigger_batch');
      return query execute format(
        'with picked as materialized (
          select e.* from (
            select s.high, greatest(s.low, $4) as first, case when s.low > $4 then -1 else $5 end as after
            from unnest($2, $3) as s (low, high)
          ) span
          cross join lateral (
            select e.xid, e.seq, %4$s as id, %2$s
            from joinery.trigger_%1$s_s%3$s e
            cross join lateral (
              select coalesce(octet_length(e.old::text), 0) + coalesce(octet_length(e.new::text), 0) as bytes
            ) size
            where (e.xid, e.seq) > (span.first, span.after) and e.xid <= span.high
              and pg_visible_in_snapshot(e.xid, $6)
            order by e.xid, e.seq
            limit $7
          ) e
          where span.high >= $4
          limit $7
        ), added as (
          insert into joinery.trigger_batches (id, number, segment, lease, xids, seqs)
          select $8, %1$s, %3$s, $9, array_agg(p.xid), array_agg(p.seq) from picked p having count(*) > 0
        ), noted as (
          update joinery.triggers t set outdated_at = clock_timestamp()
          where t.number = %1$s and t.outdated_at is null and exists (select from picked p where p.outdated)
        )
        select %1$s, p.seq, %3$s, $8, p.id, p.op, p.old, p.new, p.large, p.outdated, p.session, p.trace, p.ordering_key,
          p.created_at, p.created_ms, p.created_ms, 0, null::double precision, 0, p.bytes
        from picked p', wanted, joinery.trigger_event_columns(), one, joinery.event_id_of('e.seq', wanted))
      using inline, lows, highs, at.xid, at.seq, at.upto, remaining, batch, holder;
      get diagnostics claimed = row_count;
      if claimed > 0 then
        select b.xids[claimed], b.seqs[claimed] into at.xid, at.seq from joinery.trigger_batches b where b.id = batch;
        remaining := remaining - claimed;
      end if;
      exit when remaining <= 0;
    end loop;
    exit when remaining <= 0;
    at.claimed := at.upto;
    at.upto := null;
    if at.seen_before = '0' or pg_snapshot_xmin(at.claimed) < at.seen_before then
      at.quiet := null;
    end if;
  end loop;
  if remaining <= 0 then
    at.quiet := null;
  end if;
  if remaining = most and at.upto is null and not pending and at.quiet is not distinct from before.quiet
    and at.seen = before.seen and at.seen_before = before.seen_before
    and pg_snapshot_xmax(at.claimed)::text::bigint - pg_snapshot_xmax(before.claimed)::text::bigint < 10000
  then
    return;
  end if;
  delete from joinery.trigger_cursors c where c.number = wanted and not c.ordered and c.id = before.id;
  insert into joinery.trigger_cursors (number, ordered, claimed, upto, segment, xid, seq, seen, seen_before, quiet)
  values (wanted, false, at.claimed, at.upto, at.segment, at.xid, at.seq, at.seen, at.seen_before, at.quiet);
end
$_$;

CREATE FUNCTION joinery.claim_ordered_events(holder bigint, ahead interval, most integer, most_each integer, except_lanes text[]) RETURNS SETOF joinery.scheduled_events
    LANGUAGE sql
    AS $$ select * from joinery.claim_ordered_events(holder, ahead, most, most_each, except_lanes, false) $$;

CREATE FUNCTION joinery.claim_ordered_events(holder bigint, ahead interval, most integer, most_each integer, except_lanes text[], with_targets boolean) RETURNS SETOF joinery.scheduled_events
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
          and (with_targets or e.delivery -> 'target' is null)
        order by e.due_at
        limit most_each
        for update of e skip locked
      ) chosen
      limit most
    )
    select array_agg(due.id) into candidates from due;
    exit when candidates is null;

    return query
    update joinery.scheduled_events e set lease = holder, next_retry_at = e.next_retry_at
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

CREATE FUNCTION joinery.claim_ordered_trigger_events(holder bigint, number integer, most integer, inline integer) RETURNS SETOF joinery.claimed_trigger_event
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $_$
declare
  wanted constant integer := claim_ordered_trigger_events.number;
  remaining integer := most;
  before joinery.trigger_cursors;
  at joinery.trigger_cursors;
  one record;
  last record;
  window_ms integer := (select t.debounce_ms from joinery.triggers t where t.number = claim_ordered_trigger_events.number);
  found_any boolean := false;
begin
  select * into before from joinery.trigger_cursors c where c.number = wanted and c.ordered
  order by c.id desc limit 1 for update skip locked;
  if not found then
    return;
  end if;
  at := before;
  if at.upto is null then
    select coalesce(pg_sequence_last_value(t.sequence), 0) into at.quiet from joinery.triggers t where t.number = wanted;
    at.upto := pg_current_snapshot();
    if at.quiet <> at.seen then
      at.seen := at.quiet;
      at.seen_before := '0';
    elsif at.seen_before = '0' then
      at.seen_before := pg_current_xact_id();
    end if;
    select min(s.stamp) into at.stamp from (
      select x as low, x as high from pg_snapshot_xip(at.claimed) x where pg_visible_in_snapshot(x, at.upto)
      union all
      select pg_snapshot_xmax(at.claimed), pg_snapshot_xmax(at.upto)
    ) span
    cross join lateral (
      select s.stamp from joinery.trigger_stamps s
      where s.number = wanted and s.xid >= span.low and s.xid <= span.high and pg_visible_in_snapshot(s.xid, at.upto)
    ) s;
    at.stamp := coalesce(at.stamp, 9223372036854775807);
    at.seq := 0;
  end if;
  for round in 1..20 loop
    with next as materialized (
      select s.* from joinery.trigger_stamps s
      where s.number = wanted and s.stamp >= at.stamp and pg_visible_in_snapshot(s.xid, at.upto)
      order by s.stamp limit remaining
    )
    select min(n.segment) as segment, array_agg(n.stamp order by n.stamp) as stamps, array_agg(n.xid order by n.stamp) as xids,
      array_agg(n.first_seq order by n.stamp) as firsts, array_agg(n.last_seq order by n.stamp) as lasts
    into one
    from next n
    where n.stamp < coalesce(
      (select min(o.stamp) from next o where o.segment <> (select f.segment from next f order by f.stamp limit 1)),
      9223372036854775807
    );
    if one.stamps is null then
      at.claimed := at.upto;
      at.upto := null;
      exit;
    end if;
    if window_ms is not null then
      select * into last
      from joinery.debounce_trigger_events(
        wanted, one.segment, one.stamps, one.xids, one.firsts, one.lasts, at.stamp, at.seq, remaining, holder, window_ms
      );
    else execute format(
      'with events as materialized (
        select e.*, stamped.stamp from unnest($1, $2, $3, $4) as stamped (stamp, xid, first, last)
        cross join lateral (
          select e.xid, e.seq, e.ordering_key, e.op from joinery.trigger_%1$s_s%2$s e
          where e.xid = stamped.xid and e.seq >= stamped.first and e.seq <= stamped.last
            and (stamped.stamp > $5 or e.seq > $6)
          order by e.seq limit $7
        ) e
        limit $7
      ), ranked as (
        select e.*, row_number() over (partition by e.ordering_key order by e.stamp, e.seq) as rank from events e
      ), added as (
        insert into joinery.trigger_work (number, seq, segment, xid, lease, ordering_key, stamp)
        select %1$s, r.seq, %2$s, r.xid,
          case
            when r.ordering_key is null then $8
            when r.rank > 1 then 0
            when (
              select true from joinery.trigger_work w where w.number = %1$s and w.ordering_key = r.ordering_key limit 1
            ) then 0
            else $8
          end,
          r.ordering_key, r.stamp
        from ranked r
        returning seq, xid, lease, stamp
      )
      select (select count(*) from events) as fetched,
        (select bool_or(e.op in (''I'', ''U'', ''D'')) from events e) as outdated, max(a.stamp) as stamp, (array_agg(a.seq order by a.stamp desc, a.seq desc))[1] as seq,
        array_agg(a.seq) filter (where a.lease > 0) as seqs, array_agg(a.xid) filter (where a.lease > 0) as xids_claimed
      from added a', wanted, one.segment)
    into last
    using one.stamps, one.xids, one.firsts, one.lasts, at.stamp, at.seq, remaining, holder;
    end if;
    found_any := true;
    if last.outdated then
      update joinery.triggers t set outdated_at = clock_timestamp() where t.number = wanted and t.outdated_at is null;
    end if;
    if last.seqs is not null then
      return query select * from joinery.trigger_work_events(wanted, one.segment, last.seqs, last.xids_claimed, inline);
      remaining := remaining - cardinality(last.seqs);
    end if;
    if last.fetched > 0 then
      at.stamp := last.stamp;
      at.seq := last.seq;
    end if;
    if last.fetched < remaining + coalesce(cardinality(last.seqs), 0) then
      at.stamp := one.stamps[cardinality(one.stamps)] + 1;
      at.seq := 0;
    end if;
    delete from joinery.trigger_stamps s
    where s.number = wanted and s.stamp = any (one.stamps) and s.stamp < at.stamp;
    exit when remaining <= 0;
  end loop;
  if at.upto is not null or at.seen_before = '0' or pg_snapshot_xmin(at.claimed) < at.seen_before then
    at.quiet := null;
  end if;
  if at.upto is null and before.upto is null and not found_any and at.quiet is not distinct from before.quiet
    and at.seen = before.seen and at.seen_before = before.seen_before
    and pg_snapshot_xmax(at.claimed)::text::bigint - pg_snapshot_xmax(before.claimed)::text::bigint < 10000
  then
    return;
  end if;
  delete from joinery.trigger_cursors c where c.number = wanted and c.ordered and c.id = before.id;
  insert into joinery.trigger_cursors (number, ordered, claimed, upto, stamp, seq, seen, seen_before, quiet)
  values (wanted, true, at.claimed, at.upto, at.stamp, at.seq, at.seen, at.seen_before, at.quiet);
end
$_$;

CREATE FUNCTION joinery.claim_snapshot() RETURNS pg_snapshot
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  snapshot pg_snapshot := pg_current_snapshot();
  own xid8 := pg_current_xact_id_if_assigned();
begin
  if own is null or own >= pg_snapshot_xmax(snapshot) then
    return snapshot;
  end if;
  return (
    select format('%s:%s:%s', min(r.xid::text::bigint), pg_snapshot_xmax(snapshot), string_agg(r.xid::text, ',' order by r.xid))
    from (select x as xid from pg_snapshot_xip(snapshot) x union select own) r
  )::pg_snapshot;
end
$$;

CREATE FUNCTION joinery.claim_trigger_events(holder bigint, ahead interval, most integer, most_each integer, limits json, except_triggers integer[], inline integer) RETURNS SETOF joinery.claimed_trigger_event
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  soon timestamptz := statement_timestamp() + ahead;
  remaining integer := most;
  quota integer;
  claimed integer;
  candidates jsonb;
  one record;
  next_due timestamptz;
begin
  if not pg_try_advisory_xact_lock_shared(1785687922, 1) or not joinery.source_lease_is_valid(holder) then
    return;
  end if;
  if exists (
    select from joinery.source_identity i where i.server_started is distinct from pg_postmaster_start_time() or i.restored_at is not null
  ) and not joinery.adopt_database() then
    return;
  end if;
  perform set_config('synchronous_commit', 'off', true);
  select jsonb_agg(jsonb_build_array(t.number, due.found, fresh.unordered, fresh.ordered, t.debounce_ms)) into candidates
  from joinery.triggers t
  cross join lateral (
    select exists (
      select from joinery.trigger_work w
      where w.number = t.number and w.lease is null
        and w.due_at <= case when t.debounce_ms is null then soon else statement_timestamp() end
    ) as found
  ) due
  cross join lateral (
    select bool_or(not c.ordered) as unordered, bool_or(c.ordered) as ordered
    from (values (false), (true)) kind (ordered) cross join lateral (
      select c.ordered, c.quiet from joinery.trigger_cursors c
      where c.number = t.number and c.ordered = kind.ordered order by c.id desc limit 1
    ) c
    where c.quiet is distinct from coalesce(pg_sequence_last_value(t.sequence), 0)
  ) fresh
  where not t.paused and t.number <> all (except_triggers)
    and (due.found or fresh.unordered or fresh.ordered);
  perform from joinery.triggers t
  where t.number in (
    select (c ->> 0)::integer from jsonb_array_elements(candidates) c where c -> 3 = 'true'
  )
  order by t.number for no key update;
  for one in
    select (c ->> 0)::integer as number, (c ->> 1)::boolean as due, (c ->> 2)::boolean as unordered, (c ->> 3)::boolean as ordered,
      case when c ->> 4 is null then soon else statement_timestamp() end as due_before
    from jsonb_array_elements(candidates) c order by random()
  loop
    exit when remaining <= 0;
    quota := least(remaining, coalesce((limits ->> one.number::text)::integer, most_each));
    if one.due and quota > 0 then
      return query select * from joinery.claim_due_trigger_events(holder, one.number, one.due_before, quota, inline);
      get diagnostics claimed = row_count;
      quota := quota - claimed;
      remaining := remaining - claimed;
    end if;
    if one.ordered and quota > 0 then
      return query select * from joinery.claim_ordered_trigger_events(holder, one.number, quota, inline);
      get diagnostics claimed = row_count;
      quota := quota - claimed;
      remaining := remaining - claimed;
    end if;
    if one.unordered and quota > 0 then
      return query select * from joinery.claim_new_trigger_events(holder, one.number, quota, inline);
      get diagnostics claimed = row_count;
      remaining := remaining - claimed;
      perform joinery.unpack_trigger_events(one.number, 1000);
    end if;
  end loop;
  select min(w.due_at) into next_due from joinery.triggers t
  cross join lateral (
    select w.due_at from joinery.trigger_work w where w.number = t.number and w.lease is null order by w.due_at limit 1
  ) w
  where t.debounce_ms is not null and not t.paused and t.number <> all (except_triggers);
  if next_due is not null then
    return next (
      null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
      greatest(extract(epoch from next_due - clock_timestamp()) * 1000, 0)::double precision, null, null, null, null
    )::joinery.claimed_trigger_event;
  end if;
end
$$;

CREATE FUNCTION joinery.cluster_id(OUT cluster bigint, OUT timeline text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION joinery.confirm_events(holder bigint, ids uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
begin
  if not joinery.lease_is_valid(holder) then
    return;
  end if;
  return query
  select e.id from joinery.scheduled_events e
  where e.id = any (ids) and e.lease is not distinct from holder
    and (e.ordering_key is null or not exists (
      select from joinery.scheduled_events o where o.ordering_key = e.ordering_key and o.lease > 0 and o.id <> e.id
    ));
end
$$;

CREATE FUNCTION joinery.confirm_trigger_events(holder bigint, numbers integer[], seqs bigint[], batches bigint[], OUT number integer, OUT seq bigint) RETURNS SETOF record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  if not joinery.source_lease_is_valid(holder) then
    return;
  end if;
  return query
  select g.number, g.seq from unnest(confirm_trigger_events.numbers, confirm_trigger_events.seqs) as g (number, seq)
  where exists (
      select from joinery.trigger_work w where w.number = g.number and w.seq = g.seq and w.lease is not distinct from holder
    )
  union
  select b.number, u.seq from joinery.trigger_batches b cross join lateral unnest(b.seqs) as u (seq)
  where b.id = any (array(select distinct k from unnest(confirm_trigger_events.batches) k where k is not null))
    and b.lease = holder and (b.number, u.seq) in (select * from unnest(confirm_trigger_events.numbers, confirm_trigger_events.seqs));
end
$$;

CREATE FUNCTION joinery.debounce_trigger_events(wanted integer, segment integer, stamps bigint[], xids xid8[], firsts bigint[], lasts bigint[], after_stamp bigint, after_seq bigint, most integer, holder bigint, window_ms integer, OUT fetched bigint, OUT outdated boolean, OUT stamp bigint, OUT seq bigint, OUT seqs bigint[], OUT xids_claimed xid8[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $_$
declare
  added_seqs bigint[];
  added_xids xid8[];
  added_stamps bigint[];
  keys text[];
  ended_seqs bigint[];
  ended_segments integer[];
  waiting_keys text[];
  waiting_until timestamptz[];
  one integer;
begin
  execute format(
    'with events as materialized (
      select e.*, stamped.stamp from unnest($1, $2, $3, $4) as stamped (stamp, xid, first, last)
      cross join lateral (
        select e.xid, e.seq, e.ordering_key, e.op from joinery.trigger_%1$s_s%2$s e
        where e.xid = stamped.xid and e.seq >= stamped.first and e.seq <= stamped.last
          and (stamped.stamp > $5 or e.seq > $6)
        order by e.seq limit $7
      ) e
      limit $7
    ), ranked as (
      select e.*, e.ordering_key is null or row_number() over (partition by e.ordering_key order by e.stamp desc, e.seq desc) = 1 as last
      from events e
    )
    select count(*), bool_or(r.op in (''I'', ''U'', ''D'')), max(r.stamp), (array_agg(r.seq order by r.stamp desc, r.seq desc))[1],
      array_agg(r.seq order by r.stamp, r.seq) filter (where r.last), array_agg(r.xid order by r.stamp, r.seq) filter (where r.last),
      array_agg(r.stamp order by r.stamp, r.seq) filter (where r.last),
      array_agg(r.ordering_key order by r.stamp, r.seq) filter (where r.last),
      coalesce(array_agg(r.seq) filter (where not r.last), ''{}'')
    from ranked r', wanted, segment)
  into fetched, outdated, stamp, seq, added_seqs, added_xids, added_stamps, keys, ended_seqs
  using stamps, xids, firsts, lasts, after_stamp, after_seq, most;
  ended_segments := array_fill(segment, array[cardinality(ended_seqs)]);
  with superseded as (
    delete from joinery.trigger_work w using unnest(keys) as k (key)
    where w.number = wanted and w.ordering_key = k.key and w.tries = 0 and w.requeued_at is null
      and (w.lease is null or w.lease = 0)
    returning w.ordering_key, w.seq, w.segment, w.due_at
  )
  select ended_seqs || coalesce(array_agg(s.seq), '{}'), ended_segments || coalesce(array_agg(s.segment), '{}'),
    array_agg(s.ordering_key), array_agg(s.due_at)
  into ended_seqs, ended_segments, waiting_keys, waiting_until
  from superseded s;
  with added as (
    insert into joinery.trigger_work (number, seq, segment, xid, lease, due_at, ordering_key, stamp)
    select wanted, a.seq, debounce_trigger_events.segment, a.xid,
      case
        when a.key is null then holder
        when (select true from joinery.trigger_work w where w.number = wanted and w.ordering_key = a.key limit 1) then 0
      end,
      case
        when a.key is null then clock_timestamp()
        else coalesce(
          (select min(u.until) from unnest(waiting_keys, waiting_until) as u (key, until) where u.key = a.key),
          clock_timestamp() + window_ms * interval '1 ms'
        )
      end,
      a.key, a.stamp
    from unnest(added_seqs, added_xids, added_stamps, keys) as a (seq, xid, stamp, key)
    returning trigger_work.seq, trigger_work.xid, trigger_work.lease
  )
  select array_agg(a.seq) filter (where a.lease > 0), array_agg(a.xid) filter (where a.lease > 0) into seqs, xids_claimed
  from added a;
  for one in select distinct s from unnest(ended_segments) s loop
    execute format(
      'insert into joinery.trigger_%s_log_s%s (seq, attempt, agent, started_at, duration_ms, outcome)
      select e.seq, 0, '''', clock_timestamp(), 0, ''superseded'' from unnest($1, $2) as e (seq, segment) where e.segment = $3',
      wanted, one)
    using ended_seqs, ended_segments, one;
  end loop;
end
$_$;

CREATE FUNCTION joinery.drop_log_partition(name text, if_empty boolean) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  dropped constant text := format('joinery.%I', name);
  filled boolean := false;
begin
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

CREATE FUNCTION joinery.drop_trigger_segment(number integer, segment integer, with_log boolean DEFAULT true) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '200ms'
    AS $_$
declare
  known joinery.trigger_segments;
begin
  perform pg_advisory_xact_lock(1785687922, 1);
  select * into known from joinery.trigger_segments s
  where s.number = drop_trigger_segment.number and s.segment = drop_trigger_segment.segment and s.drained_at is not null
  for update;
  if not found
    or not with_log and known.events_dropped_at is not null
    or exists (
      select from joinery.trigger_work w
      where w.number = drop_trigger_segment.number and w.segment = drop_trigger_segment.segment
    )
    or exists (
      select from joinery.trigger_batches b
      where b.number = drop_trigger_segment.number and b.segment = drop_trigger_segment.segment
    )
  then
    return false;
  end if;
  execute format('drop table if exists joinery.trigger_%1$s_s%2$s, joinery.trigger_%1$s_s%2$s_packed', number, segment);
  if with_log then
    execute format('drop table if exists joinery.trigger_%s_log_s%s', number, segment);
    delete from joinery.trigger_adopted_events a
    where a.number = drop_trigger_segment.number and a.segment = drop_trigger_segment.segment;
    delete from joinery.trigger_segments s
    where s.number = drop_trigger_segment.number and s.segment = drop_trigger_segment.segment;
  else
    update joinery.trigger_segments s set events_dropped_at = clock_timestamp()
    where s.number = drop_trigger_segment.number and s.segment = drop_trigger_segment.segment;
  end if;
  return true;
exception when lock_not_available then
  return false;
end
$_$;

CREATE FUNCTION joinery.error_in_delivery(body text, signing jsonb, request_transform json) RETURNS text
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

CREATE FUNCTION joinery.error_in_event(webhook text, schedule_at timestamp with time zone, payload json, comment text, key text, ordering_key text) RETURNS text
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

CREATE FUNCTION joinery.error_in_headers(headers jsonb) RETURNS text
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

CREATE FUNCTION joinery.error_in_retry_conf(retry_conf jsonb) RETURNS text
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

CREATE FUNCTION joinery.event_ahead() RETURNS interval
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return coalesce((select c.ahead from joinery.event_clock c), interval '0');
end
$$;

CREATE FUNCTION joinery.event_id(number integer, seq bigint) RETURNS uuid
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select (left(sum.text, 12) || '8' || left(number.hex, 3) || '8' || right(number.hex, 3) || lpad(to_hex(seq), 12, '0'))::uuid
  from joinery.source_identity i,
    lateral (select md5(i.salt || ':' || event_id.number || ':' || event_id.seq) as text) sum,
    lateral (select lpad(to_hex(event_id.number), 6, '0') as hex) number
$$;

CREATE FUNCTION joinery.event_id_of(seq text, number integer) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select format(
    '(left(md5(%L || %s), 12) || %L || lpad(to_hex(%s), 12, ''0''))::uuid',
    i.salt || ':' || event_id_of.number || ':', event_id_of.seq,
    '8' || left(hex.text, 3) || '8' || right(hex.text, 3), event_id_of.seq
  )
  from joinery.source_identity i, lateral (select lpad(to_hex(event_id_of.number), 6, '0') as text) hex
$$;

CREATE FUNCTION joinery.event_meant(id uuid, key text) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if (id is null) = (key is null) then
    perform joinery.reject('give either id or key');
  end if;
  return coalesce(id, (select k.event_id from joinery.event_keys k where k.key = event_meant.key));
end
$$;

CREATE FUNCTION joinery.event_now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$ select pg_catalog.statement_timestamp() operator(pg_catalog.+) joinery.event_ahead() $$;

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

CREATE FUNCTION joinery.event_seq(id uuid, OUT number integer, OUT seq bigint) RETURNS SETOF record
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select part.number, part.seq
  from (select replace(event_seq.id::text, '-', '') as hex) h,
    lateral (
      select ('x' || lpad(substr(h.hex, 14, 3) || substr(h.hex, 18, 3), 8, '0'))::bit(32)::integer as number,
        ('x' || lpad(substr(h.hex, 21, 12), 16, '0'))::bit(64)::bigint as seq
    ) part
  where joinery.event_id(part.number, part.seq) = event_seq.id
  union all
  select a.number, a.seq from joinery.trigger_adopted_events a where a.id = event_seq.id
$$;

CREATE FUNCTION joinery.forget_event_keys() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from joinery.event_keys k using removed r where k.event_id = r.id;
  return null;
end
$$;

CREATE FUNCTION joinery.free_ordered_events(numbers integer[], keys text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
begin
  update joinery.trigger_work w set lease = null
  from (select distinct k.number, k.key from unnest(numbers, keys) as k (number, key)) k
  cross join lateral (
    select f.seq from joinery.trigger_work f
    where f.number = k.number and f.ordering_key = k.key
    order by f.stamp, f.seq limit 1
  ) head
  where w.number = k.number and w.seq = head.seq and w.lease = 0
    and not exists (
      select from joinery.trigger_work o
      where o.number = k.number and o.ordering_key = k.key and o.lease is distinct from 0
    );
end
$$;

CREATE FUNCTION joinery.has_packed_statements(number integer, segment integer) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  packed regclass := to_regclass(format('joinery.trigger_%s_s%s_packed', number, segment));
  found_any boolean := false;
begin
  if packed is not null then
    execute format('select exists (select from %s)', packed) into found_any;
  end if;
  return found_any;
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

CREATE FUNCTION joinery.invoke_trigger(number integer, payload json, session text, trace text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  known joinery.triggers;
  added bigint;
begin
  select * into strict known from joinery.triggers t where t.number = invoke_trigger.number for share;
  execute format(
    'insert into joinery.trigger_%s_s%s (op, new, session, trace, stamping) values (''m'', $1, $2, $3, $4) returning seq',
    known.number, known.segment)
  into added
  using payload, session, trace, nullif(known.ordered, false);
  perform pg_notify('joinery_triggers', known.number::text);
  return joinery.event_id(known.number, added);
end
$_$;

CREATE FUNCTION joinery.joinery_1_insert() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  changed integer := 1;
  exact boolean := true;
  captured bigint := 0;
  nested text;
  noted record;
  slice integer;
  first bigint := 0;
  packed integer;
begin
if exact then
insert into joinery.trigger_1_s1 (op, old, new, session, trace)
select e.op, e.old, e.new, s.session, s.trace from (select 'i'::"char" as op, null::json as old, row_to_json(n.*) as new, null::text as ordering_key from joinery_new n left join joinery_new o on false where (select count(*) <= 100 from (select from joinery_new limit 101) r)) e cross join (select nullif(current_setting('hasura.user', true), '') as session, nullif(current_setting('hasura.tracecontext', true), '') as trace) s;
get diagnostics captured = row_count;
end if;
if captured = 0 then
select count(*) into changed from (select from joinery_new limit 101) r;
if not exact then
if changed > 0 then
if changed = 1 then
insert into joinery.trigger_1_s1 (op, old, new, session, trace)
select e.op, e.old, e.new, s.session, s.trace from (select 'I'::"char" as op, null::json as old, row_to_json(n.*) as new, null::text as ordering_key from joinery_new n left join joinery_new o on false) e cross join (select nullif(current_setting('hasura.user', true), '') as session, nullif(current_setting('hasura.tracecontext', true), '') as trace) s;
get diagnostics captured = row_count;
else
insert into joinery.trigger_1_s1 (op, old, new, session, trace)
select e.op, e.old, e.new, s.session, s.trace from (select 'I'::"char" as op, null::json as old, row_to_json(n.*) as new, null::text as ordering_key from joinery_new n left join joinery_new o on false) e cross join (select nullif(current_setting('hasura.user', true), '') as session, nullif(current_setting('hasura.tracecontext', true), '') as trace) s;
get diagnostics captured = row_count;
end if;
end if;
elsif changed > 100 then
if changed > 100 then
if (
select string_agg(a.attnum || ' ' || a.atttypid || ' ' || a.attname, ',' order by a.attnum)
from pg_attribute a where a.attrelid = tg_relid and a.attnum > 0 and not a.attisdropped
) = '1 23 id,2 23 author_id,3 25 title,4 1700 price' then
begin
select least(100000, 33554432 / greatest(avg(octet_length(row_to_json(j.*)::text)), 1))::integer into slice
from (select * from joinery_new limit 20) j;
while slice >= 1000 loop
insert into joinery.trigger_1_s1_packed (op, rows, session, trace, settings, n1, n2, n3, n4)
select 'i', n.rows, s.session, s.trace, joinery.printing_settings(), n1, n2, n3, n4
from (select count(*) as rows, array_agg(n1) as n1, array_agg(n2) as n2, array_agg(n3) as n3, array_agg(n4) as n4 from (select "j"."id" as n1, "j"."author_id" as n2, "j"."title" as n3, "j"."price" as n4 from joinery_new j limit slice offset first) j) n cross join (select nullif(current_setting('hasura.user', true), '') as session, nullif(current_setting('hasura.tracecontext', true), '') as trace) s where n.rows > 0
returning rows into packed;
captured := captured + coalesce(packed, 0);
exit when packed is null or packed < slice;
first := first + slice;
end loop;
exception when others then captured := 0;
end;
end if;
end if;
if captured = 0 then
insert into joinery.trigger_1_s1 (op, old, new, session, trace)
select e.op, e.old, e.new, s.session, s.trace from (select 'i'::"char" as op, null::json as old, row_to_json(n.*) as new, null::text as ordering_key from joinery_new n left join joinery_new o on false) e cross join (select nullif(current_setting('hasura.user', true), '') as session, nullif(current_setting('hasura.tracecontext', true), '') as trace) s;
get diagnostics captured = row_count;
end if;
end if;
end if;
if captured > 0 and current_setting('max_prepared_transactions') = '0' and pg_notify('joinery_triggers', '1') is null then return null; end if;
return null;
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

CREATE FUNCTION joinery.lock_noted_trigger_keys() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  whole text := '';
  one record;
begin
  for one in
    select n.item[1]::integer as number, bit_or(('x' || n.item[2])::bit(64)::bigint) & 4611686018427387903 as mask
    from regexp_matches(current_setting('joinery.stamping'), '\m(\d{1,8}):([0-9a-f]{16});', 'g') n (item)
    where n.item[1]::integer between 1 and 16777215
    group by 1 order by 1
  loop
    perform joinery.lock_trigger_keys(one.number, one.mask);
    if length(replace(one.mask::bit(64)::text, '0', '')) > 16 then
      whole := whole || one.number || '!;';
    end if;
  end loop;
  perform set_config('joinery.stamping', whole, true);
end
$$;

CREATE FUNCTION joinery.lock_ordered_triggers(numbers integer[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform from joinery.triggers t
  where t.number = any (numbers)
    and (select true from joinery.trigger_cursors c where c.number = t.number and c.ordered order by c.id desc limit 1)
  order by t.number for share;
end
$$;

CREATE FUNCTION joinery.lock_trigger_keys(number integer, mask bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  remaining bigint := mask;
  lowest bigint;
begin
  if length(replace(mask::bit(64)::text, '0', '')) > 16 then
    perform pg_advisory_xact_lock(1785687922, -number);
    return;
  end if;
  if current_setting('joinery.stamping', true) ~ ('\m' || number || '!') and pg_try_advisory_xact_lock(1785687922, -number) then
    return;
  end if;
  perform pg_advisory_xact_lock_shared(1785687922, -number);
  while remaining <> 0 loop
    lowest := remaining & -remaining;
    perform pg_advisory_xact_lock(1785687922, number * 64 + round(ln(lowest::double precision) / ln(2::double precision))::integer);
    remaining := remaining - lowest;
  end loop;
end
$$;

CREATE FUNCTION joinery.log_partitions() RETURNS TABLE(name text, starts_at timestamp with time zone, ends_at timestamp with time zone)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO'
    AS $$
begin
  return query
  select c.relname::text,
    case when b.bound like '%(MINVALUE)%' then '-infinity' else substring(b.bound from 'FROM \(''([^'']+)')::timestamptz end,
    substring(b.bound from 'TO \(''([^'']+)')::timestamptz
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
  where i.inhparent = 'joinery.event_invocations'::regclass;
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

CREATE FUNCTION joinery.note_ordered_events(number integer, mask bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  noted text := coalesce(current_setting('joinery.stamping', true), '');
  earlier text;
begin
  if noted !~ '^(\d{1,8}(:[0-9a-f]{16}|!);)*$' then
    noted := '';
  end if;
  earlier := substring(noted from '\m' || number || ':([0-9a-f]{16});');
  if earlier is null then
    noted := noted || number || ':' || lpad(to_hex(mask), 16, '0') || ';';
  else
    noted := regexp_replace(
      noted, '\m' || number || ':[0-9a-f]{16};',
      number || ':' || lpad(to_hex(mask | ('x' || earlier)::bit(64)::bigint), 16, '0') || ';'
    );
  end if;
  perform set_config('joinery.stamping', noted, true);
end
$_$;

CREATE FUNCTION joinery.open_log_days(ahead integer) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO'
    AS $_$
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
$_$;

CREATE FUNCTION joinery.open_trigger_segment(number integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  known joinery.triggers;
  opened integer;
  events text;
  log text;
begin
  perform pg_advisory_xact_lock(1785687922, 0);
  select * into strict known from joinery.triggers t where t.number = open_trigger_segment.number for update;
  opened := known.segment + 1;
  events := format('trigger_%s_s%s', known.number, opened);
  log := format('trigger_%s_log_s%s', known.number, opened);
  execute format(
    'create table joinery.%I (
      xid xid8 not null default pg_current_xact_id(),
      seq bigint not null default nextval(%L),
      op "char" not null,
      stamping boolean,
      old json,
      new json,
      session text,
      trace text,
      ordering_key text,
      created_at timestamptz not null default now()
    )', events, known.sequence);
  execute format('create index on joinery.%I (xid, seq)', events);
  execute format('create index on joinery.%I using brin (seq) with (pages_per_range = 32, autosummarize = on)', events);
  if known.ordered then
    execute format(
      'create constraint trigger stamp after insert on joinery.%I deferrable initially deferred
        for each row when (new.stamping is not null) execute function joinery.stamp_trigger_events(%L, %L)',
      events, known.number, opened);
    execute format('alter table joinery.%I enable always trigger stamp', events);
  end if;
  execute format(
    'create table joinery.%I (
      seq bigint not null,
      attempt integer not null,
      agent text not null,
      started_at timestamptz not null,
      duration_ms integer not null,
      status integer,
      outcome text,
      request json,
      response json,
      created_at timestamptz not null default clock_timestamp()
    )', log);
  execute format('create index on joinery.%I (seq, attempt)', log);
  execute format('create index on joinery.%I (seq) where outcome in (''error'', ''dead'')', log);
  insert into joinery.trigger_segments (number, segment, ordered) values (known.number, opened, known.ordered);
  perform joinery.add_packed_statements(known.number, opened);
  if not exists (
    select from joinery.trigger_cursors c where c.number = known.number and c.ordered = known.ordered
  ) then
    insert into joinery.trigger_cursors (number, ordered, claimed)
    values (known.number, known.ordered, '1:1:');
  end if;
  update joinery.trigger_segments s set closed_at = clock_timestamp()
  where s.number = known.number and s.segment = known.segment;
  update joinery.triggers t set segment = opened where t.number = known.number;
  if known.capture is not null then
    execute array_to_string(known.capture, 'joinery.' || quote_ident(events));
  end if;
  return opened;
end
$$;

CREATE FUNCTION joinery.printing_settings() RETURNS text[]
    LANGUAGE sql STABLE
    AS $$
  select array[
    current_setting('TimeZone'), current_setting('DateStyle'), current_setting('IntervalStyle'), current_setting('bytea_output'),
    current_setting('extra_float_digits'), current_setting('lc_monetary')
  ]
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

CREATE FUNCTION joinery.redeliver_trigger_event(id uuid) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  wanted record;
  known record;
  work joinery.trigger_work;
  one integer;
  calls integer;
begin
  select * into wanted from joinery.event_seq(redeliver_trigger_event.id);
  if not found then
    return 'not-exists';
  end if;
  perform pg_advisory_xact_lock_shared(1785687922, 1);
  perform joinery.lock_ordered_triggers(array[wanted.number]);
  select * into work from joinery.trigger_work w where w.number = wanted.number and w.seq = wanted.seq for update;
  if found then
    if work.lease > 0 then
      return 'busy';
    end if;
    update joinery.trigger_work w
    set due_at = clock_timestamp(), requeued_at = clock_timestamp(), requeued_tries = w.tries
    where w.number = wanted.number and w.seq = wanted.seq;
    return 'ok';
  end if;
  if exists (
    select from joinery.trigger_batches b where b.number = wanted.number and wanted.seq = any (b.seqs)
  ) then
    return 'busy';
  end if;
  for one in
    select s.segment from joinery.trigger_segments s where s.number = wanted.number and s.events_dropped_at is null
    order by s.segment desc
  loop
    execute format(
      'select e.xid, e.ordering_key, (select max(l.attempt) from joinery.trigger_%1$s_log_s%2$s l where l.seq = e.seq) as calls
      from joinery.trigger_%1$s_s%2$s e where e.seq = $1', wanted.number, one)
    into known using wanted.seq;
    if known.xid is not null then
      if known.calls is not null then
        insert into joinery.trigger_work (
          number, seq, segment, xid, tries, requeued_at, requeued_tries, ordering_key, stamp, lease
        )
        values (
          wanted.number, wanted.seq, one, known.xid, known.calls, clock_timestamp(), known.calls, known.ordering_key,
          case when known.ordering_key is not null then 0 end,
          case when known.ordering_key is not null then 0 end
        );
        perform joinery.free_ordered_events(array[wanted.number], array[known.ordering_key]);
      end if;
      perform pg_notify('joinery_triggers', wanted.number::text);
      return 'ok';
    end if;
  end loop;
  return 'not-exists';
end
$_$;

CREATE FUNCTION joinery.redeliver_trigger_events(number integer, statuses text[], from_time timestamp with time zone, until_time timestamp with time zone, data jsonb, most integer, OUT redelivered integer, OUT more boolean) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $_$
declare
  one integer;
  found_here integer;
  added integer;
  keys text[];
begin
  redelivered := 0;
  more := false;
  perform joinery.lock_ordered_triggers(array[number]);
  for one in
    select s.segment from joinery.trigger_segments s
    where s.number = redeliver_trigger_events.number and s.events_dropped_at is null
      and (from_time is null or s.closed_at is null or s.closed_at >= from_time)
    order by s.segment
  loop
    execute format(
      'with ended as materialized (
        select e.xid, e.seq, e.ordering_key, l.attempt from joinery.trigger_%1$s_log_s%2$s l
        join joinery.trigger_%1$s_s%2$s e on e.seq = l.seq
        where l.outcome = any (%3$L::text[])
          and not exists (select from joinery.trigger_work w where w.number = %1$s and w.seq = l.seq)
          and not exists (select from joinery.trigger_%1$s_log_s%2$s o where o.seq = l.seq and o.attempt > l.attempt)
          and ($1 is null or e.created_at >= $1)
          and ($2 is null or e.created_at < $2)
          and ($3 is null or jsonb_build_object(''old'', e.old, ''new'', e.new) @> $3)
        limit $4 + 1
      ), added as (
        insert into joinery.trigger_work (
          number, seq, segment, xid, tries, requeued_at, requeued_tries, ordering_key, stamp, lease
        )
        select %1$s, e.seq, %2$s, e.xid, e.attempt, clock_timestamp(), e.attempt, e.ordering_key,
          case when e.ordering_key is not null then 0 end, case when e.ordering_key is not null then 0 end
        from ended e limit $4
        on conflict do nothing
        returning ordering_key
      )
      select (select count(*) from ended), (select count(*) from added),
        array(select distinct a.ordering_key from added a where a.ordering_key is not null)', number, one, statuses)
    into found_here, added, keys
    using from_time, until_time, data, most - redelivered;
    redelivered := redelivered + added;
    if cardinality(keys) > 0 then
      perform joinery.free_ordered_events(array_fill(number, array[cardinality(keys)]), keys);
    end if;
    more := found_here > added;
    exit when more;
  end loop;
  if redelivered > 0 then
    perform pg_notify('joinery_triggers', number::text);
  end if;
end
$_$;

CREATE FUNCTION joinery.reject(message text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if message is not null then
    raise exception '%', message using errcode = 'invalid_parameter_value';
  end if;
end
$$;

CREATE FUNCTION joinery.release_trigger_events(holder bigint, numbers integer[], seqs bigint[], chosen boolean) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  freed integer;
  more integer;
begin
  perform pg_advisory_xact_lock_shared(1785687922, 1);
  perform from joinery.trigger_batches b where b.lease = holder order by b.id for update;
  with open as materialized (
    select b.id, b.number, b.segment, u.xid, u.seq, u.place, (g.seq is not null) = chosen as free
    from joinery.trigger_batches b
    cross join lateral unnest(b.xids, b.seqs) with ordinality as u (xid, seq, place)
    left join unnest(release_trigger_events.numbers, release_trigger_events.seqs) as g (number, seq) on g.number = b.number and g.seq = u.seq
    where b.lease = holder
  ),
  rest as materialized (
    select o.id, array_agg(o.xid order by o.place) filter (where not o.free) as xids,
      array_agg(o.seq order by o.place) filter (where not o.free) as seqs
    from open o group by o.id having bool_or(o.free)
  ),
  shrunk as (
    update joinery.trigger_batches b set xids = r.xids, seqs = r.seqs from rest r where b.id = r.id and r.seqs is not null
  ),
  finished as (
    delete from joinery.trigger_batches b using rest r where b.id = r.id and r.seqs is null
  )
  insert into joinery.trigger_work (number, seq, segment, xid)
  select o.number, o.seq, o.segment, o.xid from open o where o.free;
  get diagnostics freed = row_count;
  update joinery.trigger_work w set lease = null
  where w.lease = holder
    and chosen = exists (select from unnest(release_trigger_events.numbers, release_trigger_events.seqs) as g (number, seq) where g.number = w.number and g.seq = w.seq);
  get diagnostics more = row_count;
  return freed + more;
end
$$;

CREATE FUNCTION joinery.remove_trigger(number integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  one integer;
  operation text;
begin
  foreach operation in array array['insert', 'update', 'delete'] loop
    execute format('drop function if exists joinery.joinery_%s_%s() cascade', remove_trigger.number, operation);
  end loop;
  perform pg_advisory_xact_lock(1785687922, 1);
  for one in select s.segment from joinery.trigger_segments s where s.number = remove_trigger.number loop
    execute format('drop table if exists joinery.trigger_%1$s_s%2$s, joinery.trigger_%1$s_log_s%2$s, joinery.trigger_%1$s_s%2$s_packed', remove_trigger.number, one);
  end loop;
  execute format('drop sequence if exists joinery.trigger_%s_seq', remove_trigger.number);
  delete from joinery.trigger_adopted_events t where t.number = remove_trigger.number;
  delete from joinery.trigger_stamps t where t.number = remove_trigger.number;
  delete from joinery.trigger_work t where t.number = remove_trigger.number;
  delete from joinery.trigger_batches t where t.number = remove_trigger.number;
  delete from joinery.trigger_cursors t where t.number = remove_trigger.number;
  delete from joinery.trigger_segments t where t.number = remove_trigger.number;
  delete from joinery.triggers t where t.number = remove_trigger.number;
end
$_$;

CREATE FUNCTION joinery.remove_trigger_tables() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '1s'
    AS $$
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

CREATE FUNCTION joinery.reschedule_event(schedule_at timestamp with time zone, id uuid DEFAULT NULL::uuid, key text DEFAULT NULL::text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform joinery.reject(joinery.error_in_event('https://any', schedule_at, 'null', null, null, null));
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

CREATE FUNCTION joinery.schedule_checked_event(webhook text, schedule_at timestamp with time zone, payload json, headers jsonb, retry_conf jsonb, comment text, key text, ordering_key text, body text, signing jsonb, request_transform json) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  id uuid := gen_random_uuid();
  known uuid;
  conf jsonb := coalesce(schedule_checked_event.retry_conf, '{}');
  given_headers jsonb := coalesce(schedule_checked_event.headers, '[]');
  policy jsonb := nullif(
    jsonb_strip_nulls(conf) - 'num_retries' - 'retry_interval_seconds' - 'timeout_seconds' - 'tolerance_seconds', '{}'
  );
  delivery json := joinery.written_delivery(body, signing, request_transform);
begin
  perform joinery.reject(joinery.error_in_event(webhook, schedule_at, payload, comment, key, ordering_key));
  perform joinery.reject(joinery.error_in_headers(given_headers));
  perform joinery.reject(joinery.error_in_retry_conf(conf));
  perform joinery.reject(joinery.error_in_delivery(body, signing, request_transform));
  if key is null then
    insert into joinery.scheduled_events (
      id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
      tolerance_seconds, comment, ordering_key, retry_policy, delivery
    )
    values (
      id, schedule_checked_event.webhook, schedule_checked_event.schedule_at, schedule_checked_event.payload, given_headers::json,
      coalesce((conf ->> 'num_retries')::integer, 0), coalesce((conf ->> 'retry_interval_seconds')::integer, 10),
      coalesce((conf ->> 'timeout_seconds')::integer, 60), coalesce((conf ->> 'tolerance_seconds')::integer, 21600),
      schedule_checked_event.comment, schedule_checked_event.ordering_key, policy::json, delivery
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

CREATE FUNCTION joinery.schedule_event(webhook text, schedule_at timestamp with time zone, payload json, headers jsonb DEFAULT '[]'::jsonb, retry_conf jsonb DEFAULT '{}'::jsonb, comment text DEFAULT NULL::text, key text DEFAULT NULL::text, ordering_key text DEFAULT NULL::text, body text DEFAULT NULL::text, signing jsonb DEFAULT NULL::jsonb, request_transform json DEFAULT NULL::json) RETURNS uuid
    LANGUAGE sql SECURITY DEFINER
    BEGIN ATOMIC
 WITH plain AS (
          INSERT INTO joinery.scheduled_events (webhook, schedule_at, payload, comment)  SELECT schedule_event.webhook AS webhook,
                     schedule_event.schedule_at AS schedule_at,
                     schedule_event.payload AS payload,
                     schedule_event.comment AS comment
                   WHERE ((schedule_event.webhook ~ '^https?://[^/?#\s]+[^\s]*$'::text) AND (length(schedule_event.webhook) <= 8000) AND (schedule_event.schedule_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (schedule_event.schedule_at < '10000-01-01 00:00:00+00'::timestamp with time zone) AND (octet_length((schedule_event.payload)::text) <= 1048576) AND ((schedule_event.comment IS NULL) OR (length(schedule_event.comment) <= 10000)) AND (schedule_event.headers = '[]'::jsonb) AND (schedule_event.retry_conf = '{}'::jsonb) AND (schedule_event.key IS NULL) AND (schedule_event.ordering_key IS NULL) AND (schedule_event.body IS NULL) AND (schedule_event.signing IS NULL) AND (schedule_event.request_transform IS NULL))
           RETURNING scheduled_events.id
         )
  SELECT COALESCE(( SELECT plain.id
            FROM plain), joinery.schedule_checked_event(webhook, schedule_at, payload, headers, retry_conf, comment, key, ordering_key, body, signing, request_transform)) AS "coalesce";
END;

CREATE FUNCTION joinery.schedule_event(webhook text, schedule_at timestamp with time zone, payload jsonb, headers jsonb DEFAULT '[]'::jsonb, retry_conf jsonb DEFAULT '{}'::jsonb, comment text DEFAULT NULL::text, key text DEFAULT NULL::text, ordering_key text DEFAULT NULL::text, body text DEFAULT NULL::text, signing jsonb DEFAULT NULL::jsonb, request_transform json DEFAULT NULL::json) RETURNS uuid
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT joinery.schedule_event(webhook, schedule_at, (payload)::json, headers, retry_conf, comment, key, ordering_key, body, signing, request_transform) AS schedule_event;
END;

CREATE FUNCTION joinery.schedule_event(webhook text, schedule_at timestamp with time zone, payload text, headers jsonb DEFAULT '[]'::jsonb, retry_conf jsonb DEFAULT '{}'::jsonb, comment text DEFAULT NULL::text, key text DEFAULT NULL::text, ordering_key text DEFAULT NULL::text, body text DEFAULT NULL::text, signing jsonb DEFAULT NULL::jsonb, request_transform json DEFAULT NULL::json) RETURNS uuid
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT joinery.schedule_event(webhook, schedule_at, (payload)::json, headers, retry_conf, comment, key, ordering_key, body, signing, request_transform) AS schedule_event;
END;

CREATE FUNCTION joinery.seal_trigger_segments() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  drained integer;
begin
  perform pg_advisory_xact_lock(1785687922, 0);
  update joinery.trigger_segments s
  set writers = array(
    select l.virtualtransaction from pg_locks l
    where l.locktype = 'virtualxid' and l.granted and l.pid <> pg_backend_pid()
  )
  where s.closed_at is not null and s.writers is null;
  update joinery.trigger_segments s set sealed_before = pg_snapshot_xmax(pg_current_snapshot())
  where s.writers is not null and s.sealed_before is null
    and not exists (
      select from pg_locks l where l.locktype = 'virtualxid' and l.granted and l.virtualtransaction = any (s.writers)
    )
    and not joinery.has_packed_statements(s.number, s.segment);
  update joinery.trigger_segments s set drained_at = clock_timestamp()
  where s.sealed_before is not null and s.drained_at is null
    and (
      select c.upto is null and (
        pg_snapshot_xmin(c.claimed) >= s.sealed_before
        or c.quiet = (select coalesce(pg_sequence_last_value(t.sequence), 0) from joinery.triggers t where t.number = s.number)
      )
      from joinery.trigger_cursors c where c.number = s.number and c.ordered = s.ordered order by c.id desc limit 1
    )
    and not exists (select from joinery.trigger_stamps t where t.number = s.number and t.segment = s.segment)
    and not exists (
      select from joinery.source_identity i
      where i.server_started is distinct from pg_postmaster_start_time() or i.restored_at is not null
    );
  get diagnostics drained = row_count;
  return drained;
end
$$;

CREATE FUNCTION joinery.set_trigger_capture(number integer, parts text[], ordered boolean, packed text, unpack text[], hash text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  known joinery.triggers;
begin
  select * into strict known from joinery.triggers t where t.number = set_trigger_capture.number for update;
  update joinery.triggers t
  set capture = parts, ordered = set_trigger_capture.ordered, packed = set_trigger_capture.packed,
    unpack = set_trigger_capture.unpack, definition_hash = hash, outdated_at = null
  where t.number = known.number;
  if known.capture is null and set_trigger_capture.ordered = known.ordered then
    perform joinery.add_packed_statements(known.number, known.segment);
  elsif set_trigger_capture.ordered <> known.ordered or set_trigger_capture.unpack is distinct from known.unpack then
    perform joinery.open_trigger_segment(known.number);
    return;
  end if;
  execute array_to_string(parts, format('joinery.trigger_%s_s%s', known.number, known.segment));
end
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
  if position('"retry_ms"' in outcomes::text) = 0 then
    begin
      return query
      with outcome as materialized (
        select * from json_to_recordset(outcomes) as o (
          id uuid, lease bigint, status text, attempt integer, started_ms double precision, duration_ms integer,
          code integer, request json, response json, unlogged boolean
        )
      ),
      finished as (
        delete from joinery.scheduled_events e using outcome o
        where o.status is not null and e.id = o.id and e.lease is not distinct from o.lease and e.tries = o.attempt - 1
        returning e.id, e.webhook, e.schedule_at, e.payload, e.headers, e.num_retries, e.retry_interval_seconds,
          e.timeout_seconds, e.tolerance_seconds, e.comment, e.created_at, e.ordering_key, e.retry_policy,
          e.trigger_name, e.delivery, o.status as final_status,
          case when o.status = 'dead' then e.tries else o.attempt end as final_tries,
          o.attempt, o.started_ms, o.duration_ms, o.code, o.request, o.response, o.unlogged
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
      ),
      logged as (
        insert into joinery.event_invocations (
          event_id, attempt, agent, started_at, duration_ms, status, request, response
        )
        select f.id, f.attempt, sent_agent, to_timestamp(f.started_ms / 1000), f.duration_ms, f.code, f.request, f.response
        from finished f where f.unlogged is not true
      )
      select o.id from outcome o where o.id not in (select f.id from finished f);
      return;
    exception when unique_violation then
    end;
  end if;
  return query
  with outcome as materialized (
    select * from json_to_recordset(outcomes) as o (
      id uuid, lease bigint, status text, retry_ms double precision, keep boolean,
      attempt integer, started_ms double precision, duration_ms integer, code integer, request json,
      response json, unlogged boolean
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
      event_id, attempt, agent, started_at, duration_ms, status, request, response
    )
    select o.id, o.attempt, sent_agent, to_timestamp(o.started_ms / 1000), o.duration_ms, o.code, o.request, o.response
    from outcome o where (o.id in (select s.id from settled s)) is true and o.unlogged is not true
  )
  select o.id from outcome o where o.id not in (select s.id from settled s);
end
$$;

CREATE FUNCTION joinery.settle_trigger_events(outcomes json, sent_agent text) RETURNS SETOF uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $_$
declare
  ids uuid[];
  numbers integer[];
  seqs bigint[];
  segments integer[];
  batches bigint[];
  leases bigint[];
  statuses text[];
  retries double precision[];
  keeps boolean[];
  attempts integer[];
  unlogged boolean[];
  starts double precision[];
  durations integer[];
  codes integer[];
  requests json[];
  responses json[];
  settled bigint[];
  ended_numbers integer[];
  ended_keys text[];
  one record;
begin
  perform pg_advisory_xact_lock_shared(1785687922, 1);
  select array_agg(o.id), array_agg(o.number), array_agg(o.seq), array_agg(o.segment), array_agg(o.batch), array_agg(o.lease),
    array_agg(o.status), array_agg(o.retry_ms), array_agg(o.keep), array_agg(o.attempt), array_agg(o.unlogged),
    array_agg(o.started_ms), array_agg(o.duration_ms), array_agg(o.code), array_agg(o.request), array_agg(o.response)
  into ids, numbers, seqs, segments, batches, leases, statuses, retries, keeps, attempts, unlogged, starts, durations, codes,
    requests, responses
  from json_to_recordset(outcomes) as o (
    id uuid, number integer, seq bigint, segment integer, batch bigint, lease bigint, status text, retry_ms double precision,
    keep boolean, attempt integer, unlogged boolean, started_ms double precision, duration_ms integer, code integer, request json,
    response json
  );
  perform joinery.lock_ordered_triggers(array(
    select distinct o.number from unnest(numbers, batches) as o (number, batch) where o.batch is null
  ));
  perform from joinery.trigger_batches b where b.id = any (batches) order by b.id for update;

  with outcome as materialized (
    select * from unnest(numbers, seqs, batches, leases, statuses, retries, keeps, attempts) with ordinality
      as o (number, seq, batch, lease, status, retry_ms, keep, attempt, place)
    where o.batch is not null
  ),
  open as materialized (
    select b.id, b.number, b.segment, b.lease, u.xid, u.seq, u.place
    from joinery.trigger_batches b cross join lateral unnest(b.xids, b.seqs) with ordinality as u (xid, seq, place)
    where b.id = any (batches)
  ),
  ended as materialized (
    select o.*, b.segment, b.xid from outcome o
    join open b on b.id = o.batch and b.number = o.number and b.seq = o.seq and b.lease = o.lease
    where o.attempt = 1
  ),
  rest as materialized (
    select b.id, array_agg(b.xid order by b.place) filter (where n.seq is null) as xids,
      array_agg(b.seq order by b.place) filter (where n.seq is null) as seqs
    from open b left join ended n on n.batch = b.id and n.seq = b.seq
    group by b.id
  ),
  shrunk as (
    update joinery.trigger_batches b set xids = r.xids, seqs = r.seqs from rest r where b.id = r.id and r.seqs is not null
  ),
  finished_batches as (
    delete from joinery.trigger_batches b using rest r where b.id = r.id and r.seqs is null
  ),
  postponed as (
    insert into joinery.trigger_work (number, seq, segment, xid, lease, tries, due_at)
    select n.number, n.seq, n.segment, n.xid, case when n.keep then n.lease end, n.attempt, to_timestamp(n.retry_ms / 1000)
    from ended n where n.status is null
  )
  select array(select n.place from ended n) into settled;

  if array_position(batches, null) is not null then
    select settled || coalesce(array_agg(w.place), '{}'),
      coalesce(array_agg(w.number order by w.place) filter (where w.ordering_key is not null), '{}'),
      coalesce(array_agg(w.ordering_key order by w.place) filter (where w.ordering_key is not null), '{}')
    into settled, ended_numbers, ended_keys
    from joinery.settle_trigger_work(numbers, seqs, batches, leases, statuses, retries, keeps, attempts) w;

    if cardinality(ended_keys) > 0 then
      perform joinery.free_ordered_events(ended_numbers, ended_keys);
    end if;
  end if;

  for one in
    select distinct o.number, o.segment from unnest(numbers, segments, unlogged) with ordinality as o (number, segment, unlogged, place)
    where o.place = any (settled) and o.unlogged is not true
  loop
    execute format(
      'insert into joinery.trigger_%1$s_log_s%2$s (seq, attempt, agent, started_at, duration_ms, status, outcome, request, response)
      select o.seq, o.attempt, $1, to_timestamp(o.started_ms / 1000), o.duration_ms, o.code, o.status, o.request, o.response
      from unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) with ordinality as o (
        number, segment, unlogged, seq, attempt, started_ms, duration_ms, code, status, request, response, place
      )
      where o.number = %1$s and o.segment = %2$s and o.unlogged is not true and o.place = any ($13)', one.number, one.segment)
    using sent_agent, numbers, segments, unlogged, seqs, attempts, starts, durations, codes, statuses, requests, responses, settled;
  end loop;

  return query
  select o.id from unnest(ids) with ordinality as o (id, place) where not o.place = any (settled);
end
$_$;

CREATE FUNCTION joinery.settle_trigger_work(numbers integer[], seqs bigint[], batches bigint[], leases bigint[], statuses text[], retries double precision[], keeps boolean[], attempts integer[], OUT place bigint, OUT number integer, OUT ordering_key text) RETURNS SETOF record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
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
    select * from unnest(numbers, seqs, batches, leases, statuses, retries, keeps, attempts) with ordinality
      as o (number, seq, batch, lease, status, retry_ms, keep, attempt, place)
    where o.batch is null
  ),
  finished as (
    delete from joinery.trigger_work w using outcome o
    where o.batch is null and o.status is not null
      and w.number = o.number and w.seq = o.seq and w.lease is not distinct from o.lease and w.tries = o.attempt - 1
    returning o.place, w.number, w.ordering_key
  ),
  waiting as (
    update joinery.trigger_work w
    set tries = o.attempt, due_at = to_timestamp(o.retry_ms / 1000), lease = case when o.keep then w.lease end
    from outcome o
    where o.batch is null and o.status is null
      and w.number = o.number and w.seq = o.seq and w.lease is not distinct from o.lease and w.tries = o.attempt - 1
    returning o.place
  )
  select f.place, f.number, f.ordering_key from finished f
  union all select w.place, null::integer, null::text from waiting w;
end
$$;

CREATE FUNCTION joinery.skip_event_numbers() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  one joinery.triggers;
  captured bigint;
begin
  for one in select t.* from joinery.triggers t loop
    execute format('select coalesce(max(e.seq), 0) from joinery.trigger_%s_s%s e', one.number, one.segment) into captured;
    perform setval(one.sequence, greatest(captured, coalesce(pg_sequence_last_value(one.sequence), 0)) + 1000000);
  end loop;
end
$$;

CREATE FUNCTION joinery.source_lease_is_valid(lease bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return exists (
    select from joinery.source_leases l
    where l.id = source_lease_is_valid.lease and l.expires_at > clock_timestamp() and not l.draining
  );
end
$$;

CREATE FUNCTION joinery.stamp_trigger_events() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  noted constant text := coalesce(current_setting('joinery.stamping', true), '');
  stamped constant integer := tg_argv[0]::integer;
  last bigint := new.seq;
  mask bigint;
begin
  if new.stamping then
    mask := coalesce(1::bigint << ((hashtext(new.ordering_key)::bigint & 2147483647) % 62)::integer, 0);
  else
    select e.last_seq, e.mask into last, mask
    from joinery.trigger_statement_events(stamped, tg_argv[1]::integer, new.xid, new.seq) e;
  end if;
  if noted like '%:%' and noted <> stamped || ':' || lpad(to_hex(mask), 16, '0') || ';' then
    perform joinery.lock_noted_trigger_keys();
  end if;
  perform joinery.lock_trigger_keys(stamped, mask);
  insert into joinery.trigger_stamps (number, stamp, segment, first_seq, last_seq)
  values (stamped, nextval('joinery.trigger_stamp'), tg_argv[1]::integer, new.seq, last);
  return null;
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

CREATE FUNCTION joinery.sweep_trigger_events() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  freed integer := 0;
  one bigint;
begin
  if clock_timestamp() < pg_postmaster_start_time() + interval '5 seconds' then
    return 0;
  end if;
  delete from joinery.source_leases l where l.expires_at < clock_timestamp();
  if not found and extract(second from clock_timestamp()) >= 5 then
    return 0;
  end if;
  for one in
    with recursive worked as (
      (select w.lease from joinery.trigger_work w where w.lease > 0 order by w.lease limit 1)
      union all
      select next.lease from worked cross join lateral (
        select w.lease from joinery.trigger_work w where w.lease > worked.lease order by w.lease limit 1
      ) next
    )
    select h.lease from (
      select w.lease from worked w union select b.lease from joinery.trigger_batches b
    ) h
    where not exists (select from joinery.source_leases l where l.id = h.lease)
    order by 1
  loop
    freed := freed + joinery.release_trigger_events(one, '{}', '{}', false);
  end loop;
  return freed;
end
$$;

CREATE FUNCTION joinery.take_over_hasura_events(number integer, hasura_name text, ordering_key text[], claimed boolean) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  known joinery.triggers;
  taken bigint;
  keys text[];
begin
  select * into strict known from joinery.triggers t where t.number = take_over_hasura_events.number for update;
  execute format(
    $statement$
    with free as materialized (
      select h.id, h.ctid as place from hdb_catalog.event_log h
      where h.trigger_name = $1 and not h.delivered and not h.error and not h.archived
        and ($2 or h.locked is null or h.locked < clock_timestamp() - interval '30 minutes')
      for update skip locked
    ), moved as (
      update hdb_catalog.event_log h set archived = true, locked = null from free where h.id = free.id
      returning h.id, free.place, h.payload ->> 'op' as op, nullif(h.payload #> '{data,old}', 'null') as old,
        nullif(h.payload #> '{data,new}', 'null') as new, nullif(h.payload -> 'session_variables', 'null')::text as session,
        nullif(h.payload -> 'trace_context', 'null')::text as trace, h.tries, h.created_at::timestamptz as created_at,
        coalesce(h.next_retry_at::timestamptz, clock_timestamp()) as due_at
    ), event as materialized (
      select m.*, nextval(%1$L) as seq, key.printed as ordering_key
      from (select * from moved order by created_at, place) m
      cross join lateral (
        select case when m.op <> 'MANUAL' then nullif(
          '[' || string_agg(coalesce((coalesce(m.new, m.old) -> c.name)::text, 'null'), ', ' order by c.place) || ']',
          '[' || string_agg('null', ', ') || ']'
        ) end as printed
        from unnest($3) with ordinality c (name, place)
      ) key
    ), written as (
      insert into joinery.trigger_%2$s_s%3$s (xid, seq, op, old, new, session, trace, ordering_key, created_at)
      select '0', e.seq, (case e.op when 'INSERT' then 'i' when 'UPDATE' then 'u' when 'DELETE' then 'd' else 'm' end)::"char",
        e.old::json, e.new::json, e.session, e.trace, e.ordering_key, e.created_at
      from event e
    ), named as (
      insert into joinery.trigger_adopted_events (number, seq, segment, id)
      select %2$s, e.seq, %3$s, e.id::uuid from event e where e.id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      on conflict (id) do nothing
    ), waiting as (
      insert into joinery.trigger_work (number, seq, segment, xid, lease, tries, due_at, ordering_key, stamp)
      select %2$s, e.seq, %3$s, '0', case when e.ordering_key is not null then 0 end, e.tries, e.due_at, e.ordering_key,
        case when e.ordering_key is not null then 0 end
      from event e
      returning ordering_key
    )
    select count(*), coalesce(array_agg(distinct w.ordering_key) filter (where w.ordering_key is not null), '{}')
    from waiting w
    $statement$,
    known.sequence, known.number, known.segment)
  into taken, keys
  using hasura_name, claimed, ordering_key;
  perform joinery.free_ordered_events(array_fill(known.number, array[cardinality(keys)]), keys);
  if taken > 0 then
    perform pg_notify('joinery_triggers', known.number::text);
  end if;
  return taken;
end
$_$;

CREATE FUNCTION joinery.trigger_event_columns() RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$
  select $columns$
    case upper(e.op::text) when 'I' then 'INSERT' when 'U' then 'UPDATE' when 'D' then 'DELETE' else 'MANUAL' end as op,
    case when size.bytes <= $1 then e.old::text end as old,
    case when size.bytes <= $1 then e.new::text end as new,
    size.bytes > $1 as large,
    size.bytes::integer as bytes,
    e.op in ('I', 'U', 'D') as outdated,
    e.session,
    e.trace,
    e.ordering_key,
    to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as created_at,
    (extract(epoch from e.created_at) * 1000)::double precision as created_ms
  $columns$
$_$;

CREATE FUNCTION joinery.trigger_event_rows(number integer, segment integer, seq bigint, OUT old text, OUT new text) RETURNS SETOF record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $_$
begin
  return query execute format('select e.old::text, e.new::text from joinery.trigger_%s_s%s e where e.seq = $1', number, segment)
  using seq;
end
$_$;

CREATE FUNCTION joinery.trigger_statement_events(number integer, segment integer, xid xid8, first_seq bigint, OUT last_seq bigint, OUT mask bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $_$
begin
  execute format(
    'select max(e.seq), coalesce(bit_or(1::bigint << ((hashtext(e.ordering_key)::bigint & 2147483647) %% 62)::integer), 0)
    from joinery.trigger_%1$s_s%2$s e
    where e.xid = $1 and e.seq >= $2 and e.seq < coalesce((
      select n.seq from joinery.trigger_%1$s_s%2$s n
      where n.xid = $1 and n.seq > $2 and n.stamping is not null order by n.seq limit 1
    ), 9223372036854775807)', number, segment)
  into last_seq, mask using xid, first_seq;
end
$_$;

CREATE FUNCTION joinery.trigger_statistics(number integer, most integer, OUT pending bigint, OUT is_capped boolean, OUT retrying bigint, OUT waiting bigint, OUT oldest_at timestamp with time zone, OUT last_call_at timestamp with time zone, OUT calls bigint, OUT delivered bigint, OUT failed bigint, OUT dead bigint, OUT p50 double precision, OUT p95 double precision, OUT seconds double precision) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $_$
declare
  wanted constant integer := trigger_statistics.number;
  at joinery.trigger_cursors;
  one record;
  few record;
  lows xid8[];
  highs xid8[];
  later_lows xid8[];
  later_highs xid8[];
  counted bigint;
  since timestamptz;
  durations double precision[] := '{}';
  blocks bigint;
begin
  most := most + 1;
  select count(*), count(*) filter (where w.tries > w.requeued_tries and w.lease is distinct from 0),
    count(*) filter (where w.lease = 0)
  into pending, retrying, waiting
  from (select w.* from joinery.trigger_work w where w.number = wanted limit most) w;
  for one in select w.segment, w.seq, w.xid from joinery.trigger_work w where w.number = wanted order by w.seq limit 1 loop
    execute format('select e.created_at from joinery.trigger_%s_s%s e where e.xid = $1 and e.seq = $2', wanted, one.segment)
    into oldest_at using one.xid, one.seq;
  end loop;
  select pending + coalesce(sum(cardinality(b.seqs)), 0) into pending from joinery.trigger_batches b where b.number = wanted;
  for one in
    select b.segment, b.xids[1] as xid, b.seqs[1] as seq from joinery.trigger_batches b where b.number = wanted order by b.id limit 1
  loop
    execute format('select e.created_at from joinery.trigger_%s_s%s e where e.xid = $1 and e.seq = $2', wanted, one.segment)
    into since using one.xid, one.seq;
    oldest_at := least(oldest_at, since);
  end loop;
  for at in
    select c.* from (values (false), (true)) kind (ordered) cross join lateral (
      select c.* from joinery.trigger_cursors c
      where c.number = wanted and c.ordered = kind.ordered order by c.id desc limit 1
    ) c
    where c.quiet is distinct from (select coalesce(pg_sequence_last_value(t.sequence), 0) from joinery.triggers t where t.number = wanted)
  loop
    lows := array(select x from pg_snapshot_xip(at.claimed) x);
    highs := lows || '18446744073709551615'::xid8;
    lows := lows || pg_snapshot_xmax(at.claimed);
    if at.upto is not null then
      later_lows := array(select x from pg_snapshot_xip(at.upto) x);
      later_highs := later_lows || '18446744073709551615'::xid8;
      later_lows := later_lows || pg_snapshot_xmax(at.upto);
    end if;
    for one in
      select s.segment from joinery.trigger_segments s
      where s.number = wanted and s.ordered = at.ordered and s.drained_at is null order by s.segment
    loop
      exit when pending >= most;
      if at.ordered then
        execute format(
          'select count(*), min(r.created_at) from (
            select e.created_at from joinery.trigger_stamps s
            cross join lateral (
              select e.seq, e.created_at from joinery.trigger_%1$s_s%2$s e
              where e.xid = s.xid and e.seq >= s.first_seq and e.seq <= s.last_seq
            ) e
            where s.number = %1$s and s.segment = %2$s
              and ($1 is null or not pg_visible_in_snapshot(s.xid, $1) or (s.stamp, e.seq) > ($2, $3))
            limit $4
          ) r', wanted, one.segment)
        into counted, since using at.upto, at.stamp, at.seq, most - pending;
      else
        execute format(
          'select count(*), min(r.created_at) from (
            (select e.created_at from unnest($1, $2) as span (low, high)
            cross join lateral (
              select e.created_at from joinery.trigger_%1$s_s%2$s e
              where e.xid >= span.low and e.xid <= span.high and %2$s >= $5
                and ($3 is null or pg_visible_in_snapshot(e.xid, $3))
                and (%2$s > $5 or e.xid >= $6 and (e.xid, e.seq) > ($6, $7))
            ) e
            limit $8)
            union all
            (select e.created_at from unnest($4, $9) as span (low, high)
            cross join lateral (
              select e.created_at from joinery.trigger_%1$s_s%2$s e where e.xid >= span.low and e.xid <= span.high
            ) e
            where $3 is not null
            limit $8)
            limit $8
          ) r', wanted, one.segment)
        into counted, since
        using lows, highs, at.upto, later_lows,
          case when at.upto is null then 0 else at.segment end, case when at.upto is null then '0' else at.xid end,
          case when at.upto is null then 0 else at.seq end, most - pending, later_highs;
      end if;
      pending := pending + counted;
      oldest_at := least(oldest_at, since);
    end loop;
  end loop;
  for one in
    select s.segment from joinery.trigger_segments s
    where s.number = wanted and s.unpack is not null and s.sealed_before is null order by s.segment
  loop
    execute format(
      'select coalesce(sum(p.rows - p.done), 0), min(p.created_at) from (
        select p.rows, p.done, p.created_at from joinery.trigger_%s_s%s_packed p order by p.seq limit $1
      ) p', wanted, one.segment)
    into counted, since using most;
    pending := pending + counted;
    oldest_at := least(oldest_at, since);
  end loop;
  is_capped := pending >= most;
  pending := least(pending, most - 1);

  calls := 0;
  delivered := 0;
  failed := 0;
  dead := 0;
  seconds := 86400;
  for one in
    select s.segment from joinery.trigger_segments s where s.number = wanted order by s.segment desc limit 20
  loop
    exit when calls >= 10000;
    select greatest(pg_relation_size(to_regclass(format('joinery.trigger_%s_log_s%s', wanted, one.segment)))
      / current_setting('block_size')::bigint - 2000, 0) into blocks;
    execute format(
      'select count(*) filter (where l.recent) as calls, count(*) filter (where l.recent and l.outcome = ''delivered'') as delivered,
        count(*) filter (where l.recent and l.outcome = ''error'') as failed,
        count(*) filter (where l.recent and l.outcome = ''dead'') as dead,
        max(l.created_at) filter (where l.attempt > 0) as last, min(l.created_at) filter (where l.recent) as first,
        array_agg(l.duration_ms::double precision) filter (where l.recent) as durations
      from (
        select l.*, l.attempt > 0 and l.created_at > clock_timestamp() - interval ''1 day'' as recent
        from joinery.trigger_%s_log_s%s l where l.ctid >= ''(%s,0)''
      ) l', wanted, one.segment, blocks)
    into few;
    calls := calls + few.calls;
    delivered := delivered + few.delivered;
    failed := failed + few.failed;
    dead := dead + few.dead;
    last_call_at := greatest(last_call_at, few.last);
    durations := durations || few.durations;
    if blocks > 0 or calls >= 10000 then
      seconds := least(seconds, extract(epoch from clock_timestamp() - few.first));
    end if;
  end loop;
  select percentile_cont(0.5) within group (order by d), percentile_cont(0.95) within group (order by d)
  into p50, p95 from unnest(durations) d;
end
$_$;

CREATE FUNCTION joinery.trigger_work_events(number integer, segment integer, seqs bigint[], xids xid8[], inline integer) RETURNS SETOF joinery.claimed_trigger_event
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $_$
begin
  return query execute format(
    'select %1$s, e.seq, %2$s, null::bigint,
      case when claimed.xid = ''0'' then joinery.adopted_event_id(%1$s, e.seq) else %4$s end, e.op, e.old, e.new, e.large, e.outdated,
      e.session, e.trace, e.ordering_key, e.created_at, e.created_ms,
      (extract(epoch from w.due_at) * 1000)::double precision, w.tries,
      (extract(epoch from w.requeued_at) * 1000)::double precision, w.requeued_tries, e.bytes
    from unnest($2, $3) as claimed (seq, xid)
    cross join lateral (
      select e.seq, %3$s
      from joinery.trigger_%1$s_s%2$s e
      cross join lateral (select coalesce(octet_length(e.old::text), 0) + coalesce(octet_length(e.new::text), 0) as bytes) size
      where e.xid = claimed.xid and e.seq = claimed.seq
    ) e
    join joinery.trigger_work w on w.number = %1$s and w.seq = e.seq
    order by w.due_at, w.stamp, w.seq', number, segment, joinery.trigger_event_columns(),
    joinery.event_id_of('e.seq', number))
  using inline, seqs, xids;
end
$_$;

CREATE FUNCTION joinery.unpack_trigger_events(number integer, most integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO'
    SET "IntervalStyle" TO 'postgres'
    SET bytea_output TO 'hex'
    SET extra_float_digits TO '1'
    SET lc_monetary TO 'C'
    AS $_$
declare
  remaining integer := most;
  one record;
  statement record;
  last integer;
begin
  for one in
    select s.segment, s.unpack, format('joinery.trigger_%s_s%s_packed', s.number, s.segment) as packed
    from joinery.trigger_segments s
    where s.number = unpack_trigger_events.number and s.unpack is not null and s.sealed_before is null
    order by s.segment
  loop
    continue when pg_relation_size(one.packed::regclass) = 0;
    while remaining > 0 loop
      execute format(
        'select p.seq, p.rows, p.done, p.settings from %s p order by p.seq limit 1 for update skip locked', one.packed
      ) into statement;
      if statement.seq is null then
        perform nextval(format('joinery.trigger_%s_seq', unpack_trigger_events.number))
        where joinery.has_packed_statements(unpack_trigger_events.number, one.segment);
        exit;
      end if;
      perform set_config(s.name, s.setting, true)
      from unnest(
        array['TimeZone', 'DateStyle', 'IntervalStyle', 'bytea_output', 'extra_float_digits', 'lc_monetary'], statement.settings
      ) as s (name, setting);
      last := least(statement.rows, statement.done + remaining);
      begin
        execute one.unpack using statement.seq, statement.done + 1, last;
      exception when others then
        raise warning 'the events of % are not complete: %', one.packed, sqlerrm;
        exit;
      end;
      remaining := remaining - (last - statement.done);
      if last = statement.rows then
        execute format('delete from %s p where p.seq = $1', one.packed) using statement.seq;
      else
        execute format('update %s p set done = $2 where p.seq = $1', one.packed) using statement.seq, last;
      end if;
    end loop;
  end loop;
  if remaining < most then
    perform pg_notify('joinery_triggers', number::text);
  end if;
  return most - remaining;
end
$_$;

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
    calls jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT action_log_status_check CHECK ((status = ANY (ARRAY['created'::text, 'processing'::text, 'completed'::text, 'error'::text])))
);

CREATE TABLE joinery.alerts (
    name text NOT NULL,
    rule json NOT NULL,
    destination text,
    webhook text NOT NULL,
    headers json NOT NULL,
    enabled boolean NOT NULL,
    active_since timestamp with time zone,
    value double precision,
    checked_at timestamp with time zone
);

CREATE TABLE joinery.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    author text NOT NULL,
    address text,
    request_id text NOT NULL,
    command text NOT NULL,
    arguments text NOT NULL,
    code text,
    error text,
    duration_ms integer NOT NULL
);

ALTER TABLE joinery.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME joinery.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
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
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    request json
)
PARTITION BY RANGE (created_at);

CREATE TABLE joinery.event_invocations_20261128 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    event_id uuid NOT NULL,
    attempt integer NOT NULL,
    agent text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status integer,
    response json NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    request json
);

CREATE TABLE joinery.event_invocations_20261129 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    event_id uuid NOT NULL,
    attempt integer NOT NULL,
    agent text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status integer,
    response json NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    request json
);

CREATE TABLE joinery.event_invocations_20261130 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    event_id uuid NOT NULL,
    attempt integer NOT NULL,
    agent text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status integer,
    response json NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    request json
);

CREATE TABLE joinery.event_invocations_20261201 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    event_id uuid NOT NULL,
    attempt integer NOT NULL,
    agent text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status integer,
    response json NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    request json
);

CREATE TABLE joinery.event_invocations_default (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    event_id uuid NOT NULL,
    attempt integer NOT NULL,
    agent text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status integer,
    response json NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    request json
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

CREATE TABLE joinery.shared_tasks (
    name text NOT NULL,
    taken_at timestamp with time zone NOT NULL
);

CREATE TABLE joinery.source_function_migrations (
    name text NOT NULL,
    hash text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE joinery.source_identity (
    id smallint DEFAULT 1 NOT NULL,
    salt uuid DEFAULT gen_random_uuid() NOT NULL,
    cluster bigint,
    timeline text,
    server_started timestamp with time zone,
    restored_at timestamp with time zone,
    CONSTRAINT source_identity_id_check CHECK ((id = 1))
);

CREATE TABLE joinery.source_leases (
    id bigint NOT NULL,
    node text NOT NULL,
    taken_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    draining boolean DEFAULT false NOT NULL
);

ALTER TABLE joinery.source_leases ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME joinery.source_leases_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE joinery.source_migrations (
    version integer NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE joinery.traffic_history (
    period_seconds integer NOT NULL,
    at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    destination text NOT NULL,
    count bigint NOT NULL,
    delivered bigint NOT NULL,
    retried bigint NOT NULL,
    failed bigint NOT NULL,
    dead bigint NOT NULL,
    duration integer[] NOT NULL,
    lateness integer[] NOT NULL,
    backlog bigint NOT NULL,
    backlog_ms bigint NOT NULL
)
WITH (fillfactor='70');

CREATE TABLE joinery.traffic_writes (
    node text NOT NULL,
    number bigint NOT NULL,
    at timestamp with time zone NOT NULL
);

CREATE TABLE joinery.trigger_1_log_s1 (
    seq bigint NOT NULL,
    attempt integer NOT NULL,
    agent text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status integer,
    outcome text,
    request json,
    response json,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE SEQUENCE joinery.trigger_1_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 281474976710655
    CACHE 1;

CREATE TABLE joinery.trigger_1_s1 (
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    seq bigint DEFAULT nextval('joinery.trigger_1_seq'::regclass) NOT NULL,
    op "char" NOT NULL,
    stamping boolean,
    old json,
    new json,
    session text,
    trace text,
    ordering_key text,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE joinery.trigger_1_s1_packed (
    seq bigint DEFAULT nextval('joinery.trigger_1_seq'::regclass) NOT NULL,
    op "char" NOT NULL,
    rows integer NOT NULL,
    done integer DEFAULT 0 NOT NULL,
    session text,
    trace text,
    settings text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    n1 integer[],
    n2 integer[],
    n3 text[],
    n4 numeric[]
);
ALTER TABLE ONLY joinery.trigger_1_s1_packed ALTER COLUMN n1 SET STORAGE EXTERNAL;
ALTER TABLE ONLY joinery.trigger_1_s1_packed ALTER COLUMN n2 SET STORAGE EXTERNAL;
ALTER TABLE ONLY joinery.trigger_1_s1_packed ALTER COLUMN n3 SET STORAGE EXTERNAL;
ALTER TABLE ONLY joinery.trigger_1_s1_packed ALTER COLUMN n4 SET STORAGE EXTERNAL;

CREATE TABLE joinery.trigger_adopted_events (
    id uuid NOT NULL,
    number integer NOT NULL,
    seq bigint NOT NULL,
    segment integer NOT NULL
);

CREATE SEQUENCE joinery.trigger_batch
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE joinery.trigger_batches (
    id bigint NOT NULL,
    number integer NOT NULL,
    segment integer NOT NULL,
    lease bigint NOT NULL,
    claimed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    xids xid8[] NOT NULL,
    seqs bigint[] NOT NULL
);

CREATE TABLE joinery.trigger_cursors (
    number integer NOT NULL,
    ordered boolean NOT NULL,
    id bigint NOT NULL,
    claimed pg_snapshot NOT NULL,
    upto pg_snapshot,
    segment integer DEFAULT 0 NOT NULL,
    xid xid8 DEFAULT '0'::xid8 NOT NULL,
    stamp bigint DEFAULT 0 NOT NULL,
    seq bigint DEFAULT 0 NOT NULL,
    seen bigint DEFAULT 0 NOT NULL,
    seen_before xid8 DEFAULT '0'::xid8 NOT NULL,
    quiet bigint
);

ALTER TABLE joinery.trigger_cursors ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME joinery.trigger_cursors_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE joinery.trigger_segments (
    number integer NOT NULL,
    segment integer NOT NULL,
    ordered boolean NOT NULL,
    unpack text,
    opened_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    closed_at timestamp with time zone,
    writers text[],
    sealed_before xid8,
    drained_at timestamp with time zone,
    events_dropped_at timestamp with time zone
);

CREATE SEQUENCE joinery.trigger_stamp
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE joinery.trigger_stamps (
    number integer NOT NULL,
    stamp bigint NOT NULL,
    segment integer NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    first_seq bigint NOT NULL,
    last_seq bigint NOT NULL
);

CREATE TABLE joinery.trigger_work (
    number integer NOT NULL,
    seq bigint NOT NULL,
    segment integer NOT NULL,
    xid xid8 NOT NULL,
    lease bigint,
    tries integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    requeued_at timestamp with time zone,
    requeued_tries integer DEFAULT 0 NOT NULL,
    ordering_key text,
    stamp bigint
)
WITH (autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='5000');

CREATE TABLE joinery.triggers (
    number integer NOT NULL,
    owner text DEFAULT ''::text NOT NULL,
    name text NOT NULL,
    table_schema text NOT NULL,
    table_name text NOT NULL,
    definition_hash text DEFAULT ''::text NOT NULL,
    ordered boolean NOT NULL,
    debounce_ms integer,
    segment integer DEFAULT 0 NOT NULL,
    sequence regclass,
    capture text[],
    packed text,
    unpack text[],
    paused boolean DEFAULT false NOT NULL,
    outdated_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    maintained_at timestamp with time zone,
    cleaned_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT triggers_number_check CHECK ((number < 16777216))
);

ALTER TABLE joinery.triggers ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME joinery.triggers_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
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

ALTER TABLE ONLY joinery.event_invocations ATTACH PARTITION joinery.event_invocations_20261128 FOR VALUES FROM ('2026-11-28 00:00:00+00') TO ('2026-11-29 00:00:00+00');

ALTER TABLE ONLY joinery.event_invocations ATTACH PARTITION joinery.event_invocations_20261129 FOR VALUES FROM ('2026-11-29 00:00:00+00') TO ('2026-11-30 00:00:00+00');

ALTER TABLE ONLY joinery.event_invocations ATTACH PARTITION joinery.event_invocations_20261130 FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00');

ALTER TABLE ONLY joinery.event_invocations ATTACH PARTITION joinery.event_invocations_20261201 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2026-12-02 00:00:00+00');

ALTER TABLE ONLY joinery.event_invocations ATTACH PARTITION joinery.event_invocations_default DEFAULT;

ALTER TABLE ONLY public.author ALTER COLUMN id SET DEFAULT nextval('public.author_id_seq'::regclass);

ALTER TABLE ONLY public.book ALTER COLUMN id SET DEFAULT nextval('public.book_id_seq'::regclass);

INSERT INTO joinery.action_log VALUES
	('f0efacaa-ea69-4cc4-9b5b-9407473393d6', 'orderBook', '{"title":"One"}', '{}', '{"x-service-role": "admin"}', '{"author_id":1,"note":"found"}', NULL, 'completed', '2026-11-28 11:26:01.133368+00', '2026-11-28 11:26:03.259627+00', 1, '2026-11-28 11:26:01.133368+00', NULL, '[{"sent": {"url": "{{HANDLERS}}/order", "body": "{\"action\":{\"name\":\"orderBook\"},\"input\":{\"title\":\"One\"},\"session_variables\":{\"x-service-role\":\"admin\"},\"request_query\":null}", "method": "POST", "headers": [{"name": "Host", "value": "{{HANDLERS}}"}, {"name": "Connection", "value": "keep-alive"}, {"name": "Content-Type", "value": "application/json"}, {"name": "User-Agent", "value": "joinery/0.1.0"}, {"name": "Content-Length", "value": "123"}]}, "error": null, "attempt": 1, "ended_at": "2026-11-28T11:26:02.816Z", "response": {"body": "{\"author_id\":1,\"note\":\"found\"}", "status": 200, "headers": [{"name": "content-type", "value": "application/json"}, {"name": "Date", "value": "Sat, 28 Nov 2026 11:26:02 GMT"}, {"name": "Connection", "value": "keep-alive"}, {"name": "Keep-Alive", "value": "timeout=5"}, {"name": "Transfer-Encoding", "value": "chunked"}]}, "duration_ms": 127}]');

INSERT INTO joinery.audit_log OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-11-28 11:25:29.151+00', 'anonymous', '127.0.0.1', '58798719-2adf-4a51-b9c2-b10ddbd2d7d9', 'run_sql', '{"sql":"\n  create table author (id serial primary key, name text not null unique, user_id int);\n  create table book (id serial primary key, author_id int not null references author, title text not null, price numeric);\n  insert into author (name, user_id) values (''Ann'', 1), (''Ben'', 2);\n  insert into book (author_id, title, price) values (1, ''One'', 10.50), (1, ''Two'', null), (2, ''Three'', 3);\n  create function books_of(author_row author) returns bigint language sql stable as\n    $$ select count(*) from book where author_id = author_row.id $$;"}', NULL, NULL, 3096),
	(2, '2026-11-28 11:25:33.114+00', 'anonymous', '127.0.0.1', '76f03211-521f-42e4-84b0-f84a7d791cdd', 'pg_track_table', '{"table":"author"}', NULL, NULL, 3655),
	(3, '2026-11-28 11:25:38.51+00', 'anonymous', '127.0.0.1', 'f8c30106-abc1-4fc2-a5c8-45daaad9fb01', 'pg_track_table', '{"table":"book"}', NULL, NULL, 5244),
	(4, '2026-11-28 11:25:39.358+00', 'anonymous', '127.0.0.1', 'aa09191e-78f0-446d-98a0-481a9a722472', 'pg_create_array_relationship', '{"table":"author","name":"books","using":{"foreign_key_constraint_on":{"table":"book","column":"author_id"}}}', NULL, NULL, 444),
	(5, '2026-11-28 11:25:39.65+00', 'anonymous', '127.0.0.1', '21af2f6e-f595-4a66-a1ad-5cb1f4c70324', 'pg_create_object_relationship', '{"table":"book","name":"author","using":{"foreign_key_constraint_on":"author_id"}}', NULL, NULL, 131),
	(6, '2026-11-28 11:25:43.293+00', 'anonymous', '127.0.0.1', 'f0b0b086-12d0-40cb-8742-f6eb4fe40ef6', 'pg_add_computed_field', '{"table":"author","name":"book_count","definition":{"function":"books_of"}}', NULL, NULL, 3574),
	(7, '2026-11-28 11:25:44.013+00', 'anonymous', '127.0.0.1', '58171c82-2015-45a7-b74b-24cf31fd872f', 'pg_create_select_permission', '{"table":"author","role":"user","permission":{"columns":["id","name"],"filter":{"user_id":{"_eq":"X-Service-User-Id"}},"allow_aggregations":true}}', NULL, NULL, 524),
	(8, '2026-11-28 11:25:44.454+00', 'anonymous', '127.0.0.1', 'd3c63e01-e3cf-427c-ac30-49e72dcad681', 'pg_create_select_permission', '{"table":"book","role":"user","permission":{"columns":"*","filter":{"author":{"user_id":{"_eq":"X-Service-User-Id"}}},"limit":10}}', NULL, NULL, 292),
	(9, '2026-11-28 11:25:45.017+00', 'anonymous', '127.0.0.1', '45551981-55fc-41de-a233-e839414a0ea1', 'pg_create_insert_permission', '{"table":"book","role":"user","permission":{"columns":["title","author_id"],"check":{"author":{"user_id":{"_eq":"X-Service-User-Id"}}},"set":{"price":1}}}', NULL, NULL, 331),
	(10, '2026-11-28 11:25:45.449+00', 'anonymous', '127.0.0.1', '3ef3eb65-9c56-4e07-a93a-6f1b27d27d19', 'set_custom_types', '{"objects":[{"name":"Found","fields":[{"name":"author_id","type":"Int!"},{"name":"note","type":"String"}],"relationships":[{"name":"author","type":"object","source":"default","remote_table":"author","field_mapping":{"author_id":"id"}}]}]}', NULL, NULL, 331),
	(11, '2026-11-28 11:25:46.001+00', 'anonymous', '127.0.0.1', '81d56341-b0cb-4899-9d4a-b6bf6e20025b', 'create_action', '{"name":"findAuthor","definition":{"kind":"synchronous","type":"query","handler":"{{HANDLERS}}/find","arguments":[{"name":"name","type":"String!"}],"output_type":"Found"}}', NULL, NULL, 459),
	(12, '2026-11-28 11:25:46.328+00', 'anonymous', '127.0.0.1', '9eae7c1c-19c9-41b0-a8a2-2d68e89251c1', 'create_action_permission', '{"action":"findAuthor","role":"user"}', NULL, NULL, 222),
	(13, '2026-11-28 11:25:46.514+00', 'anonymous', '127.0.0.1', '45340c23-63f7-40b9-92d1-85a9e25f1b49', 'create_action', '{"name":"orderBook","definition":{"kind":"asynchronous","type":"mutation","handler":"{{HANDLERS}}/order","arguments":[{"name":"title","type":"String!"}],"output_type":"Found"}}', NULL, NULL, 111),
	(14, '2026-11-28 11:25:47.162+00', 'anonymous', '127.0.0.1', 'bb7a90c7-8208-48e7-93d2-4821eb4fcead', 'create_query_collection', '{"name":"stored","definition":{"queries":[{"name":"authors","query":"query authors { author(order_by: {id: asc}) { name books { title } } }"}]}}', NULL, NULL, 538),
	(15, '2026-11-28 11:25:47.379+00', 'anonymous', '127.0.0.1', '5a301bba-35eb-4d39-ac57-ac83d55758c9', 'create_rest_endpoint', '{"name":"authors","url":"authors","methods":["GET"],"definition":{"query":{"collection_name":"stored","query_name":"authors"}}}', NULL, NULL, 84),
	(16, '2026-11-28 11:25:47.46+00', 'anonymous', '127.0.0.1', 'a80f724b-ccc2-4faf-abf2-24ee0d8d0be1', 'add_inherited_role', '{"role_name":"reader","role_set":["user","guest"]}', NULL, NULL, 69),
	(17, '2026-11-28 11:25:49.342+00', 'anonymous', '127.0.0.1', '62651bd5-6f0c-42d4-a88a-f800a4b2c3b3', 'create_cron_trigger', '{"name":"yearly","webhook":"{{HANDLERS}}/cron","schedule":"0 0 1 1 *","include_in_metadata":true,"payload":{"of":"year"}}', NULL, NULL, 1855),
	(18, '2026-11-28 11:25:57.242+00', 'anonymous', '127.0.0.1', '96c19f22-7a3a-426a-ba2e-8d4f17e62177', 'pg_create_event_trigger', '{"name":"book_written","table":"book","webhook":"{{HANDLERS}}/row","insert":{"columns":"*"},"replace":false}', NULL, NULL, 7852),
	(19, '2026-11-28 11:25:57.53+00', 'anonymous', '127.0.0.1', '0be49edc-e9f9-4077-9ddf-3ff9fabafb79', 'create_scheduled_event', '{"webhook":"{{HANDLERS}}/hook","schedule_at":"2026-11-28T11:23:21.243Z","payload":"delivered","comment":"first"}', NULL, NULL, 106),
	(20, '2026-11-28 11:25:59.699+00', 'anonymous', '127.0.0.1', '9c788253-7c00-493c-80ad-35c87563d9f9', 'create_scheduled_event', '{"webhook":"{{HANDLERS}}/broken","schedule_at":"2026-11-28T11:23:21.243Z","payload":"failed","retry_conf":{"num_retries":0}}', NULL, NULL, 2053),
	(21, '2026-11-28 11:26:00.378+00', 'anonymous', '127.0.0.1', '34894b06-ecd4-412d-b967-439b2f80bc1e', 'create_scheduled_event', '{"webhook":"{{HANDLERS}}/hook","schedule_at":"2099-01-01T00:00:00Z","payload":"later","headers":[{"name":"x-shop","value":"roastery"}]}', NULL, NULL, 128),
	(22, '2026-11-28 11:26:04.14+00', 'anonymous', '127.0.0.1', '747d1954-7b54-4b47-a60d-908caed1989f', 'run_sql', '{"sql":"insert into book (author_id, title) values (2, ''Four'')"}', NULL, NULL, 833),
	(23, '2026-11-28 11:26:04.674+00', 'anonymous', '127.0.0.1', 'aa07865d-1f72-48ba-b35c-4ff17cb29c3e', 'run_sql', '{"sql":"select tgname from pg_trigger where tgname like ''joinery%''"}', NULL, NULL, 304);

INSERT INTO joinery.catalog_state VALUES
	(1, '9b0b3d22-7fac-422c-bca2-e707e7a1a01a', '{}', '{}');

INSERT INTO joinery.cron_plans VALUES
	('yearly', '{"webhook":"{{HANDLERS}}/cron","schedule":"0 0 1 1 *","payload":{"of":"year"},"headers":[],"retry_conf":{},"comment":null,"timezone":null,"catch_up":true}', '2046-01-01 00:00:00+00');

INSERT INTO joinery.event_invocations_20261128 VALUES
	('bc5edfe5-5f5e-40e2-bdb4-f94d9eb15119', '140117b0-eeac-409b-8a3b-a8abe63d237b', 1, 'joinery/0.1.0', '2026-11-28 11:25:57.546055+00', 667, 200, '{"type":"webhook_response","data":{"body":"{\"author_id\":1,\"note\":\"found\"}","headers":[{"name":"content-type","value":"application/json"},{"name":"Date","value":"Sat, 28 Nov 2026 11:25:59 GMT"},{"name":"Connection","value":"keep-alive"},{"name":"Keep-Alive","value":"timeout=5"},{"name":"Transfer-Encoding","value":"chunked"}],"status":200},"version":"1"}', '2026-11-28 11:26:00.361305+00', '{"waited_ms":71,"sent":{"url":"{{HANDLERS}}/hook","timestamp":"1795865157","traceparent":"00-140117b0eeac409b8a3ba8abe63d237b-09505def7c0c048f-01"}}'),
	('f4fc3c1c-7253-49fc-8002-107b7ccf99c3', 'c36b4fa6-c624-4e6d-b8f5-1f68dec02c03', 1, 'joinery/0.1.0', '2026-11-28 11:25:59.89201+00', 773, 500, '{"type":"client_error","data":{"message":"{\"message\":\"broken\"}","headers":[{"name":"content-type","value":"application/json"},{"name":"Date","value":"Sat, 28 Nov 2026 11:26:00 GMT"},{"name":"Connection","value":"keep-alive"},{"name":"Keep-Alive","value":"timeout=5"},{"name":"Transfer-Encoding","value":"chunked"}],"status":500},"version":"1"}', '2026-11-28 11:26:00.724461+00', '{"waited_ms":183,"sent":{"url":"{{HANDLERS}}/broken","timestamp":"1795865159","traceparent":"00-c36b4fa6c6244e6db8f51f68dec02c03-3373c9481886d77d-01"}}');

INSERT INTO joinery.function_migrations VALUES
	('advance_event_clock', '2c904808148df36943a545c84b506935f04ae865a970d208f7b1afee26291226', '2026-11-28 11:25:08.555977+00'),
	('announce_actions', '6539a66e391c48ed177dd7e849355b9cbfaebdbc34cfd037b152607639fa7edd', '2026-11-28 11:25:08.555977+00'),
	('announce_destinations', '6ccc55b87e118c55161e5404d45a32f02db2dba12154a097424fc94ade7ac0a1', '2026-11-28 11:25:08.555977+00'),
	('announce_events', '29bf67d8e612f2fde0844b5c01249bc82e3a264341cbbb9a3e93e6211d736089', '2026-11-28 11:25:08.555977+00'),
	('cancel_event', 'e56e5ac1dd779230cc29ec0facaf1ec5763f23ac81b4dd14e9cb8b1c3b9f5bc3', '2026-11-28 11:25:08.555977+00'),
	('cancel_events', '8ce90baee5a9a1fc260670b9f8b73d8f165b8cb07886284953fd7cd21042128b', '2026-11-28 11:25:08.555977+00'),
	('change_event', 'd2bfb14505ff89569db836d7238a53be885b4f48c57a561ac0190f41ea9ef1ca', '2026-11-28 11:25:08.555977+00'),
	('claim_events', '91613356dd242d6b6c7db9e5e6a2f319ab216e1dbce7162548e78d1073a42ebb', '2026-11-28 11:25:08.555977+00'),
	('claim_events_by_lane', '6f176d7809bdb329d90efeeac2f78705b229e9353fd70d2f6a6aa7e743ac838e', '2026-11-28 11:25:08.555977+00'),
	('claim_ordered_events', '6b98f68d4ee3691a42ac96b5e4ef5940de85283d4b4ae142f001819ca132d9ec', '2026-11-28 11:25:08.555977+00'),
	('confirm_events', 'e85ef8287f82be3da22c5f938d3efc5433e91bffe1d55fe52d7e96fe82a9bbae', '2026-11-28 11:25:08.555977+00'),
	('drop_log_partition', '732f70d83e933973e0e67bc4e5af33d3d8ae88ffd2e689c789b9826f1d1afa41', '2026-11-28 11:25:08.555977+00'),
	('error_in_delivery', '5f470d8ecf4901e67cd518d368a1439b5248eec62cca56a3c0ea6bd474be4429', '2026-11-28 11:25:08.555977+00'),
	('error_in_event', 'd91aa955b69200adffa909bc60db4c467e3f2f9ee66b285993225bad930f1679', '2026-11-28 11:25:08.555977+00'),
	('error_in_headers', 'a0a9b0c9de679a5f56139eff666828ceee3c1482a29f5a080c0b41537c6c2345', '2026-11-28 11:25:08.555977+00'),
	('error_in_retry_conf', 'edeecd6474654979e48054ab9083977702ce4f68738d8e0784a38d6b346d4e3c', '2026-11-28 11:25:08.555977+00'),
	('event_ahead', '4edfafcbd35bf815b33ae41390b8e8d1a24dde8c72c1acf3ba2e07015713a849', '2026-11-28 11:25:08.555977+00'),
	('event_meant', '0577d8a9eb976b9f1470bc51a358d52e9da032dcbc3182a2a73bce1f88f8022d', '2026-11-28 11:25:08.555977+00'),
	('event_now', '778dd7b29830106a9ea33b8f62d75504634d810f78913841c1b9d0b26ad6f84e', '2026-11-28 11:25:08.555977+00'),
	('event_payload', 'afe923e03ed16d6d07888111e365d1cf38489470f0b324a1daa8a949ddbf8fd0', '2026-11-28 11:25:08.555977+00'),
	('forget_event_keys', 'c03ec760a97a18c6bb855360897e2b7b6f339ba47130fd74e93e61e6ebdfe09b', '2026-11-28 11:25:08.555977+00'),
	('insert_keyed_events', 'd8b8554e37b7b169e00469decec544496c63b538c4186695e31f7cc5e9c14f27', '2026-11-28 11:25:08.555977+00'),
	('lease_is_valid', 'c72f821e4aa524610d30e62036beb51ccbf5006aac8df83c85e48140f8d7737b', '2026-11-28 11:25:08.555977+00'),
	('log_partitions', '65b5809c190850d353ad62b6571b4e5a074944979f6948101302d3769f980b32', '2026-11-28 11:25:08.555977+00'),
	('mend_event_order', 'ee9ce47874b99728fb0fc530f05558a79218cdb2631e1e26eab4605bff7c6d1d', '2026-11-28 11:25:08.555977+00'),
	('next_in_order', '3d48e8f35105643333d94b710ee783c543f4b5fe0abe9dfbd40cd2d5d19d2dbf', '2026-11-28 11:25:08.555977+00'),
	('open_log_days', '70a0d3ea02f06b1af2830460c409b27dac176d9880b9aa2273b348a2c2fcf64b', '2026-11-28 11:25:08.555977+00'),
	('redeliver_events', '9ddd94cbadcb9b3147e50f69af5bbf476d6a59cda3d509dc680352d7e17c8999', '2026-11-28 11:25:08.555977+00'),
	('reject', '15c975d74a43b95ab3ecbb64c33e9fba11569bc647a6113ba9837aacf6ebaaff', '2026-11-28 11:25:08.555977+00'),
	('reschedule_event', '70666f031aeea61d17ad84deda183ba9c7542a82149bd0608fff4e1b4a250a02', '2026-11-28 11:25:08.555977+00'),
	('run_event_now', 'cf0f7dddb105521f0c2f56d8b2a80e192f5cbf34cf6bdd9622c5833a511ef807', '2026-11-28 11:25:08.555977+00'),
	('schedule_checked_event', '0a272b8a933efb09a348c6b45ca4ff4ba02c306c3298733f3f44d31171cd568b', '2026-11-28 11:25:08.555977+00'),
	('schedule_event', '3b88d3b8aca024d571a8ab6658e6189d7ff7c0cb881627a9260cc0985472b09d', '2026-11-28 11:25:08.555977+00'),
	('settle_events', '80dbdc4c28eaf3b2e7dd3cbe14900391db80d29e9d0f2e7d1ba2e383b5f1a312', '2026-11-28 11:25:08.555977+00'),
	('sweep_actions', '84baf4087b6a8eef97762acb05cb93a8571470fc5fab3aa191abbb4c5730ffb4', '2026-11-28 11:25:08.555977+00'),
	('sweep_events', '2ce994f3213d25ed7e96c9cbada3512f638b9f6e2a8003561f48c8559720e11e', '2026-11-28 11:25:08.555977+00'),
	('wake_event_nodes', 'd481d5c46c31d68db25b167edbc06fb6ad0465c0122cc115339fb60dfab2df01', '2026-11-28 11:25:08.555977+00'),
	('written_delivery', '182eccafc22fdf59c57042b440959168420631d29d4a2fac46b3ae09d7a8653d', '2026-11-28 11:25:08.555977+00');

INSERT INTO joinery.metadata VALUES
	(1, 18, '{"version":3,"sources":[{"name":"default","kind":"postgres","tables":[{"table":{"name":"author","schema":"public"},"array_relationships":[{"name":"books","using":{"foreign_key_constraint_on":{"column":"author_id","table":{"name":"book","schema":"public"}}}}],"computed_fields":[{"name":"book_count","definition":{"function":{"name":"books_of","schema":"public"}}}],"select_permissions":[{"role":"user","permission":{"columns":["id","name"],"filter":{"user_id":{"_eq":"X-Service-User-Id"}},"allow_aggregations":true}}]},{"table":{"name":"book","schema":"public"},"object_relationships":[{"name":"author","using":{"foreign_key_constraint_on":"author_id"}}],"insert_permissions":[{"role":"user","permission":{"check":{"author":{"user_id":{"_eq":"X-Service-User-Id"}}},"set":{"price":1},"columns":["title","author_id"]}}],"select_permissions":[{"role":"user","permission":{"columns":"*","filter":{"author":{"user_id":{"_eq":"X-Service-User-Id"}}},"limit":10}}],"event_triggers":[{"name":"book_written","definition":{"enable_manual":false,"insert":{"columns":"*"}},"retry_conf":{"interval_sec":10,"num_retries":0,"timeout_sec":60},"webhook":"{{HANDLERS}}/row"}]}]}],"query_collections":[{"name":"stored","definition":{"queries":[{"name":"authors","query":"query authors { author(order_by: {id: asc}) { name books { title } } }"}]}}],"actions":[{"name":"findAuthor","definition":{"handler":"{{HANDLERS}}/find","output_type":"Found","arguments":[{"name":"name","type":"String!"}],"type":"query"},"permissions":[{"role":"user"}]},{"name":"orderBook","definition":{"handler":"{{HANDLERS}}/order","output_type":"Found","arguments":[{"name":"title","type":"String!"}],"type":"mutation","kind":"asynchronous"}}],"custom_types":{"objects":[{"name":"Found","fields":[{"name":"author_id","type":"Int!"},{"name":"note","type":"String"}],"relationships":[{"name":"author","type":"object","source":"default","remote_table":{"name":"author","schema":"public"},"field_mapping":{"author_id":"id"}}]}]},"cron_triggers":[{"name":"yearly","webhook":"{{HANDLERS}}/cron","schedule":"0 0 1 1 *","include_in_metadata":true,"payload":{"of":"year"}}],"rest_endpoints":[{"definition":{"query":{"collection_name":"stored","query_name":"authors"}},"methods":["GET"],"name":"authors","url":"authors"}],"inherited_roles":[{"role_name":"reader","role_set":["user","guest"]}]}', '2026-11-28 11:25:57.10965+00');

INSERT INTO joinery.migrations VALUES
	(0, '2026-11-28 11:25:01.787486+00'),
	(1, '2026-11-28 11:25:02.281348+00'),
	(2, '2026-11-28 11:25:02.659754+00'),
	(3, '2026-11-28 11:25:02.998542+00'),
	(4, '2026-11-28 11:25:03.313342+00'),
	(5, '2026-11-28 11:25:03.762998+00'),
	(6, '2026-11-28 11:25:04.230868+00'),
	(7, '2026-11-28 11:25:04.884416+00'),
	(8, '2026-11-28 11:25:05.061562+00'),
	(9, '2026-11-28 11:25:05.273031+00'),
	(10, '2026-11-28 11:25:05.287099+00'),
	(11, '2026-11-28 11:25:05.387385+00'),
	(12, '2026-11-28 11:25:05.667648+00'),
	(13, '2026-11-28 11:25:06.027239+00'),
	(14, '2026-11-28 11:25:06.332133+00'),
	(15, '2026-11-28 11:25:06.61773+00'),
	(16, '2026-11-28 11:25:06.973593+00'),
	(17, '2026-11-28 11:25:07.549188+00'),
	(18, '2026-11-28 11:25:07.852785+00'),
	(19, '2026-11-28 11:25:08.203695+00'),
	(20, '2026-11-28 11:25:08.375738+00');

INSERT INTO joinery.processed_events VALUES
	('140117b0-eeac-409b-8a3b-a8abe63d237b', '{{HANDLERS}}/hook', '2026-11-28 11:23:21.243+00', '"delivered"', '[]', 0, 10, 60, 21600, 'first', '2026-11-28 11:25:57.475378+00', 1, 'delivered', '2026-11-28 11:26:00.364997+00', NULL, NULL, NULL, NULL),
	('c36b4fa6-c624-4e6d-b8f5-1f68dec02c03', '{{HANDLERS}}/broken', '2026-11-28 11:23:21.243+00', '"failed"', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:57.657313+00', 1, 'error', '2026-11-28 11:26:00.724678+00', NULL, NULL, NULL, NULL);

INSERT INTO joinery.scheduled_events VALUES
	('9d9a0199-a9e9-4ea3-b26c-4ecb2b705a70', '{{HANDLERS}}/cron', '2027-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('b2b2e059-2920-4e86-8f37-47a12c8e3648', '{{HANDLERS}}/cron', '2028-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('ff49bb55-ee09-44d1-a193-12baf7889f79', '{{HANDLERS}}/cron', '2029-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('6dd9d46c-5522-4276-9d39-511fd097bdb9', '{{HANDLERS}}/cron', '2030-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('58459652-ce9b-434b-8d32-1cd4da77b933', '{{HANDLERS}}/cron', '2031-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('af32ddc4-1dcf-4d5e-9a21-b40e091c65f9', '{{HANDLERS}}/cron', '2032-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('705b90f5-d17a-457e-8f51-89b2f1aaa044', '{{HANDLERS}}/cron', '2033-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('6e5497ff-fa14-4c64-be56-89209cb31f19', '{{HANDLERS}}/cron', '2034-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('a06fd6e1-af86-456f-a10c-24a8cbeb8188', '{{HANDLERS}}/cron', '2035-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('59751bc7-a7a7-4bc9-ad33-9a565c3e5ce8', '{{HANDLERS}}/cron', '2036-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('d4a052a8-20b3-4194-ab63-ff15b821d3f4', '{{HANDLERS}}/cron', '2037-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('7f968f3e-b09a-4139-95f9-b7a6ab3ed7b1', '{{HANDLERS}}/cron', '2038-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('9a7d2d6b-1ecb-451e-9914-1f458694517c', '{{HANDLERS}}/cron', '2039-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('820284bc-70aa-4777-b675-c86215619659', '{{HANDLERS}}/cron', '2040-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('54dfeeec-442a-4906-b240-21b5c0644c9d', '{{HANDLERS}}/cron', '2041-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('8cf04fd6-b5d8-4a3f-8eb8-b84e6169927d', '{{HANDLERS}}/cron', '2042-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('330c3682-43d2-41ab-87a2-74e02066cc0f', '{{HANDLERS}}/cron', '2043-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('d2e3da01-eb87-4b06-b66c-a22ea1ee8f09', '{{HANDLERS}}/cron', '2044-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('c99915dd-b7bb-47ed-8cf9-5d04c0485483', '{{HANDLERS}}/cron', '2045-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('e9ab42d2-e064-4cad-a235-57ccf955a26f', '{{HANDLERS}}/cron', '2046-01-01 00:00:00+00', '{"of":"year"}', '[]', 0, 10, 60, 21600, NULL, '2026-11-28 11:25:48.904275+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, 'yearly', NULL, NULL),
	('5409ba39-6225-439a-a19f-add50a71d911', '{{HANDLERS}}/hook', '2099-01-01 00:00:00+00', '"later"', '[{"name":"x-shop","value":"roastery"}]', 0, 10, 60, 21600, NULL, '2026-11-28 11:26:00.301338+00', 0, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL, NULL, 0, NULL, NULL, NULL);

INSERT INTO joinery.shared_tasks VALUES
	('backlog samples', '2026-11-28 11:25:25.630156+00'),
	('alerts', '2026-11-28 11:25:54.989472+00');

INSERT INTO joinery.source_function_migrations VALUES
	('add_packed_statements', '9f7cb604838435914e5c4c07657dab9df7d482671232a07929a77116ca885e2f', '2026-11-28 11:25:50.842437+00'),
	('add_trigger', 'd43df0384cff70f59c57ba0c939b2e6d1d067da37f1d8ecb7976cab429b199da', '2026-11-28 11:25:50.842437+00'),
	('adopt_database', 'd5468551c6c1defe1bea95080e4150543a7d5d3a29f66b36046ee565638c6765', '2026-11-28 11:25:50.842437+00'),
	('adopt_restored_events', 'cef96c460732400e52587cb9646c2cd86201e8d2025449df7201d49768eb2c94', '2026-11-28 11:25:50.842437+00'),
	('adopted_event_id', '7fa6bea46943a46437ea8ddc494dbe5ec728f7778dbef5f0b52c38e5142c11e8', '2026-11-28 11:25:50.842437+00'),
	('claim_due_trigger_events', '43a04d93be38adb60085c38fc054bdde66156d8aba65e29ec7d23d7923cd5d8f', '2026-11-28 11:25:50.842437+00'),
	('claim_new_trigger_events', '6583342441d7a9b1dbce9aef204340517d347607040e375d3a0460dad1bc516c', '2026-11-28 11:25:50.842437+00'),
	('claim_ordered_trigger_events', 'd469fb0cbe309452b8717757493ff741a14a4999129ee41b1007538686f02fd8', '2026-11-28 11:25:50.842437+00'),
	('claim_snapshot', '5ee901c3d4a4cb242d7936a06d4109e12a8647ebaff03742e3159e4ca7f6987f', '2026-11-28 11:25:50.842437+00'),
	('claim_trigger_events', 'f7ec330fc01541cf53fb2117c9773864950701d32eacd0c10ee9400c18ad7263', '2026-11-28 11:25:50.842437+00'),
	('cluster_id', '0d345867b68a0bf462a685567e57d9be593197cf9fca6d0fc3a0ee2f34e208b4', '2026-11-28 11:25:50.842437+00'),
	('confirm_trigger_events', '360510b2375afb38dd3bccfde22883211ff9ebec9e94d5df5a90ba321fd10bb0', '2026-11-28 11:25:50.842437+00'),
	('debounce_trigger_events', 'b0c7250388e9abbf8062b05a8ae48dfa8f3357498f987e6516a803fa2ecd2bee', '2026-11-28 11:25:50.842437+00'),
	('drop_trigger_segment', 'e4d294787168175217190d193fb9b81890fa950eab2890fec45f4d276600f14f', '2026-11-28 11:25:50.842437+00'),
	('event_id', '05c49e362b2c2f2da7006f779e0b6bd829ef1ae353e4e25cdffa4ee064880219', '2026-11-28 11:25:50.842437+00'),
	('event_id_of', '193b7e839f74951567194b4142dfeaf0cb96b0bb29ed11227e50fe503bf9a64f', '2026-11-28 11:25:50.842437+00'),
	('event_seq', 'f4d3d7d22986e4c0234227b15ae6a0d82c77c6903634130d24f641deeff79263', '2026-11-28 11:25:50.842437+00'),
	('free_ordered_events', '384d5834d11c156713d32b9252a03b0c423c4a32b4eb03d29deeac10903e018d', '2026-11-28 11:25:50.842437+00'),
	('has_packed_statements', '21484c46489deedd441461d54308333376e85114b33f05d37994b5ce9ecd849f', '2026-11-28 11:25:50.842437+00'),
	('invoke_trigger', 'bc3a5bdfae96735676277fb044a83be717a678a297d8f32448cae2ffb0d52d57', '2026-11-28 11:25:50.842437+00'),
	('lock_noted_trigger_keys', 'f3ec5191a011519a84cf9bcd8da615b3cfc5ed9815e2b7b5ac3c5325bb7419cf', '2026-11-28 11:25:50.842437+00'),
	('lock_ordered_triggers', 'b5eafc04e478a1dca9a4704cf43c42a435ff18a0cf2bc3efe53ee23166b88774', '2026-11-28 11:25:50.842437+00'),
	('lock_trigger_keys', '1ffa183f76f8ebd53e36338dcc1314bfd96fd81354428a8350110b59a5d948b3', '2026-11-28 11:25:50.842437+00'),
	('note_ordered_events', '492a615a73b87503f4fa86e5c712ba8801f76a1d94db11ade60a014e89cbcc0a', '2026-11-28 11:25:50.842437+00'),
	('open_trigger_segment', '5d91ed797174a05aa600e19d9200088ee9bd861e0aa56d790b2ff53387e4f5ff', '2026-11-28 11:25:50.842437+00'),
	('printing_settings', '02ffeef40a0385604500797f8c4750e0a12e708c03e1960f6db525e5bff3ac7d', '2026-11-28 11:25:50.842437+00'),
	('redeliver_trigger_event', '600691bc1eb9164301006101f4f09a2402ca5bc17a2a5dae3a787ff23cfd8df5', '2026-11-28 11:25:50.842437+00'),
	('redeliver_trigger_events', 'b66c47dce049b137908f327abac68fafcc34cead955f74668b7994da4d5df9c7', '2026-11-28 11:25:50.842437+00'),
	('release_trigger_events', '1e7593ff015e32c728effbc7c521c347ad9420f78de9e1d75b6eea09819aa24a', '2026-11-28 11:25:50.842437+00'),
	('remove_trigger', '39bf7664c7bd8757d6e30ae238f4dd31a90af071f6547e86210308ed3efd39f5', '2026-11-28 11:25:50.842437+00'),
	('remove_trigger_tables', 'cad3437d867b1806e686ef6a2adb01b86f41fc88e76fabc56ae9154e5108fcb0', '2026-11-28 11:25:50.842437+00'),
	('seal_trigger_segments', '2da7884e2ee63119765845f893a3bd534f209acff206ce3381654fce5fe9199b', '2026-11-28 11:25:50.842437+00'),
	('set_trigger_capture', '05b4f75bd24b5caa599c6d147bf9b246b78e735672cb89765fe757398f2b31b6', '2026-11-28 11:25:50.842437+00'),
	('settle_trigger_events', 'cfcdeae68571e4b74f989bd64ff7ea24418ae57737ea76788014f2672e8c317e', '2026-11-28 11:25:50.842437+00'),
	('settle_trigger_work', '3650c7c5359afa945d54a1c5527d80f665272d54ca652da19b223051503d8a94', '2026-11-28 11:25:50.842437+00'),
	('skip_event_numbers', '433f579ff41433cbcf718a91f521573094173e73912882fc4bc0db3a65e43097', '2026-11-28 11:25:50.842437+00'),
	('source_lease_is_valid', '27258adce576293e22af7b7eefc38b2e341afdf7cdb75aa00c772ad85284948b', '2026-11-28 11:25:50.842437+00'),
	('stamp_trigger_events', 'f140f1e7a49c2af098b0da17058e5857f6bae77631f0d1e8ec90b64817b0aa54', '2026-11-28 11:25:50.842437+00'),
	('sweep_trigger_events', '632712e6f3eebc3e1a1f359f3aa93c69ded2428d515f086bc528fd317218a7e9', '2026-11-28 11:25:50.842437+00'),
	('take_over_hasura_events', 'd2eab2c91a7a6f7c096cde1a03d44c5f16e8093c9d24aa85ee10211791cbeb89', '2026-11-28 11:25:50.842437+00'),
	('trigger_event_columns', 'fdd4985f35f47fc7a213f7977475f42a36a5499358493c4b1aa0e8112a9f844c', '2026-11-28 11:25:50.842437+00'),
	('trigger_event_rows', '1db965f5b3fef9b58f260746a1de95cc9008fc9e116b9a4acb50694e7dcefae6', '2026-11-28 11:25:50.842437+00'),
	('trigger_statement_events', 'de99ca2be366f185c6adc42e46d13e93a0b7084d35b609733a9ca342efe9aeeb', '2026-11-28 11:25:50.842437+00'),
	('trigger_statistics', '8088f6cb19468297be37356c8e72effc6c99aff33eba1d0b0982701808d2f9ab', '2026-11-28 11:25:50.842437+00'),
	('trigger_work_events', '0c9e5ce328b08bab2a1b09abf4b743aab0213905c1e7e90fec2fa25e8f28590e', '2026-11-28 11:25:50.842437+00'),
	('unpack_trigger_events', 'e8bb77b607d6c10c25b69fc3b9af75978ee9ca159a98dec810258788187e00a3', '2026-11-28 11:25:50.842437+00');

INSERT INTO joinery.source_identity VALUES
	(1, '9b9d806a-cfe6-41c2-8510-a0426474681f', 7713181458222133652, '00000001', '2026-11-28 11:23:37.600955+00', NULL);

INSERT INTO joinery.source_leases OVERRIDING SYSTEM VALUE VALUES
	(1795865163524759, 'vm:687:mx0bpxpe events', '2026-11-28 11:26:03.524768+00', '2026-11-28 11:26:13.544755+00', false);

INSERT INTO joinery.source_migrations VALUES
	(0, '2026-11-28 11:25:50.456749+00'),
	(1, '2026-11-28 11:25:50.524556+00');

INSERT INTO joinery.traffic_history VALUES
	(60, '2026-11-28 11:26:00+00', 'async_action', 'orderBook', 1, 1, 0, 0, 0, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}', '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}', 0, 0),
	(60, '2026-11-28 11:26:00+00', 'event_trigger', 'http://127.0.0.1:40015', 1, 1, 0, 0, 0, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}', '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}', 0, 0),
	(60, '2026-11-28 11:26:00+00', 'graphql', 'mutation', 1, 1, 0, 0, 0, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}', '{}', 0, 0),
	(60, '2026-11-28 11:26:00+00', 'one_off', 'http://127.0.0.1:40015', 2, 1, 0, 1, 0, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1}', '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2}', 0, 0),
	(3600, '2026-11-28 11:00:00+00', 'async_action', 'orderBook', 1, 1, 0, 0, 0, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}', '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}', 0, 0),
	(3600, '2026-11-28 11:00:00+00', 'event_trigger', 'http://127.0.0.1:40015', 1, 1, 0, 0, 0, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}', '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}', 0, 0),
	(3600, '2026-11-28 11:00:00+00', 'graphql', 'mutation', 1, 1, 0, 0, 0, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}', '{}', 0, 0),
	(3600, '2026-11-28 11:00:00+00', 'one_off', 'http://127.0.0.1:40015', 2, 1, 0, 1, 0, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1}', '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2}', 0, 0);

INSERT INTO joinery.traffic_writes VALUES
	('vm:687:mx0bpxpe', 1, '2026-11-28 11:26:06.711261+00');

INSERT INTO joinery.trigger_1_log_s1 VALUES
	(1, 1, 'joinery/0.1.0', '2026-11-28 11:26:04.937186+00', 99, 200, 'delivered', '{"waited_ms":84,"headers":[{"name":"Content-Type","value":"application/json"},{"name":"User-Agent","value":"joinery/0.1.0"}],"max_retries":0,"sent":{"url":"{{HANDLERS}}/row","timestamp":"1795865165","traceparent":"00-0f7e61a03e2480008001000000000001-2aae4103183d3454-01"}}', '{"type":"webhook_response","data":{"body":"{\"author_id\":1,\"note\":\"found\"}","headers":[{"name":"content-type","value":"application/json"},{"name":"Date","value":"Sat, 28 Nov 2026 11:26:05 GMT"},{"name":"Connection","value":"keep-alive"},{"name":"Keep-Alive","value":"timeout=5"},{"name":"Transfer-Encoding","value":"chunked"}],"status":200},"version":"1"}', '2026-11-28 11:26:05.147383+00');

INSERT INTO joinery.trigger_1_s1 VALUES
	('892', 1, 'i', NULL, NULL, '{"id":4,"author_id":2,"title":"Four","price":null}', '{"x-service-role":"admin"}', NULL, NULL, '2026-11-28 11:26:03.30825+00'),
	('911', 2, 'i', NULL, NULL, '{"id":5,"author_id":1,"title":"written while no node ran","price":null}', NULL, NULL, NULL, '2026-11-28 11:26:08.527445+00');

INSERT INTO joinery.trigger_cursors OVERRIDING SYSTEM VALUE VALUES
	(1, false, 4, '901:901:', NULL, 1, '892', 0, 1, 1, '897', 1);

INSERT INTO joinery.trigger_segments VALUES
	(1, 1, false, 'insert into joinery.trigger_1_s1 (op, old, new, session, trace, created_at)
select p.op, null::json, case p.op when ''i'' then (select row_to_json(r.*) from (select e.n1 as "id", e.n2 as "author_id", e.n3 as "title", e.n4 as "price") r) end, p.session, p.trace, p.created_at
from joinery.trigger_1_s1_packed p cross join lateral (select unnest(p.n1[$2:$3]) as n1, unnest(p.n2[$2:$3]) as n2, unnest(p.n3[$2:$3]) as n3, unnest(p.n4[$2:$3]) as n4) e
where p.seq = $1', '2026-11-28 11:25:56.603514+00', NULL, NULL, NULL, NULL, NULL);

INSERT INTO joinery.triggers OVERRIDING SYSTEM VALUE VALUES
	(1, '9b0b3d22-7fac-422c-bca2-e707e7a1a01a/default', 'book_written', 'public', 'book', '89070a4ea73e3deb8b5491f0a4cb3828296465090ec3425afab7147510c82047', false, NULL, 1, 'joinery.trigger_1_seq', '{"create or replace function \"joinery\".\"joinery_1_insert\"() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $joinery$
declare
  changed integer := 1;
  exact boolean := true;
  captured bigint := 0;
  nested text;
  noted record;
  slice integer;
  first bigint := 0;
  packed integer;
begin
if exact then
insert into "," (op, old, new, session, trace)
select e.op, e.old, e.new, s.session, s.trace from (select ''i''::\"char\" as op, null::json as old, row_to_json(n.*) as new, null::text as ordering_key from joinery_new n left join joinery_new o on false where (select count(*) <= 100 from (select from joinery_new limit 101) r)) e cross join (select nullif(current_setting(''hasura.user'', true), '''') as session, nullif(current_setting(''hasura.tracecontext'', true), '''') as trace) s;
get diagnostics captured = row_count;
end if;
if captured = 0 then
select count(*) into changed from (select from joinery_new limit 101) r;
if not exact then
if changed > 0 then
if changed = 1 then
insert into "," (op, old, new, session, trace)
select e.op, e.old, e.new, s.session, s.trace from (select ''I''::\"char\" as op, null::json as old, row_to_json(n.*) as new, null::text as ordering_key from joinery_new n left join joinery_new o on false) e cross join (select nullif(current_setting(''hasura.user'', true), '''') as session, nullif(current_setting(''hasura.tracecontext'', true), '''') as trace) s;
get diagnostics captured = row_count;
else
insert into "," (op, old, new, session, trace)
select e.op, e.old, e.new, s.session, s.trace from (select ''I''::\"char\" as op, null::json as old, row_to_json(n.*) as new, null::text as ordering_key from joinery_new n left join joinery_new o on false) e cross join (select nullif(current_setting(''hasura.user'', true), '''') as session, nullif(current_setting(''hasura.tracecontext'', true), '''') as trace) s;
get diagnostics captured = row_count;
end if;
end if;
elsif changed > 100 then
if changed > 100 then
if (
select string_agg(a.attnum || '' '' || a.atttypid || '' '' || a.attname, '','' order by a.attnum)
from pg_attribute a where a.attrelid = tg_relid and a.attnum > 0 and not a.attisdropped
) = ''1 23 id,2 23 author_id,3 25 title,4 1700 price'' then
begin
select least(100000, 33554432 / greatest(avg(octet_length(row_to_json(j.*)::text)), 1))::integer into slice
from (select * from joinery_new limit 20) j;
while slice >= 1000 loop
insert into ","_packed (op, rows, session, trace, settings, n1, n2, n3, n4)
select ''i'', n.rows, s.session, s.trace, joinery.printing_settings(), n1, n2, n3, n4
from (select count(*) as rows, array_agg(n1) as n1, array_agg(n2) as n2, array_agg(n3) as n3, array_agg(n4) as n4 from (select \"j\".\"id\" as n1, \"j\".\"author_id\" as n2, \"j\".\"title\" as n3, \"j\".\"price\" as n4 from joinery_new j limit slice offset first) j) n cross join (select nullif(current_setting(''hasura.user'', true), '''') as session, nullif(current_setting(''hasura.tracecontext'', true), '''') as trace) s where n.rows > 0
returning rows into packed;
captured := captured + coalesce(packed, 0);
exit when packed is null or packed < slice;
first := first + slice;
end loop;
exception when others then captured := 0;
end;
end if;
end if;
if captured = 0 then
insert into "," (op, old, new, session, trace)
select e.op, e.old, e.new, s.session, s.trace from (select ''i''::\"char\" as op, null::json as old, row_to_json(n.*) as new, null::text as ordering_key from joinery_new n left join joinery_new o on false) e cross join (select nullif(current_setting(''hasura.user'', true), '''') as session, nullif(current_setting(''hasura.tracecontext'', true), '''') as trace) s;
get diagnostics captured = row_count;
end if;
end if;
end if;
if captured > 0 and current_setting(''max_prepared_transactions'') = ''0'' and pg_notify(''joinery_triggers'', ''1'') is null then return null; end if;
return null;
end
$joinery$;
revoke all on function \"joinery\".\"joinery_1_insert\"() from public;"}', 'n1 pg_catalog.int4[], n2 pg_catalog.int4[], n3 pg_catalog.text[], n4 pg_catalog."numeric"[]', '{"insert into "," (op, old, new, session, trace, created_at)
select p.op, null::json, case p.op when ''i'' then (select row_to_json(r.*) from (select e.n1 as \"id\", e.n2 as \"author_id\", e.n3 as \"title\", e.n4 as \"price\") r) end, p.session, p.trace, p.created_at
from ","_packed p cross join lateral (select unnest(p.n1[$2:$3]) as n1, unnest(p.n2[$2:$3]) as n2, unnest(p.n3[$2:$3]) as n3, unnest(p.n4[$2:$3]) as n4) e
where p.seq = $1"}', false, NULL, '2026-11-28 11:25:49.904949+00', NULL, '2026-11-28 11:25:49.904949+00');

INSERT INTO public.author VALUES
	(1, 'Ann', 1),
	(2, 'Ben', 2);

INSERT INTO public.book VALUES
	(1, 1, 'One', 10.50),
	(2, 1, 'Two', NULL),
	(3, 2, 'Three', 3),
	(4, 2, 'Four', NULL),
	(5, 1, 'written while no node ran', NULL);

SELECT pg_catalog.setval('joinery.audit_log_id_seq', 23, true);

SELECT pg_catalog.setval('joinery.event_leases_id_seq', 2, true);

SELECT pg_catalog.setval('joinery.source_leases_id_seq', 1, false);

SELECT pg_catalog.setval('joinery.trigger_1_seq', 2, true);

SELECT pg_catalog.setval('joinery.trigger_batch', 3, true);

SELECT pg_catalog.setval('joinery.trigger_cursors_id_seq', 4, true);

SELECT pg_catalog.setval('joinery.trigger_stamp', 1, false);

SELECT pg_catalog.setval('joinery.triggers_number_seq', 1, true);

SELECT pg_catalog.setval('public.author_id_seq', 2, true);

SELECT pg_catalog.setval('public.book_id_seq', 5, true);

ALTER TABLE ONLY joinery.action_log
    ADD CONSTRAINT action_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (name);

ALTER TABLE ONLY joinery.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.catalog_state
    ADD CONSTRAINT catalog_state_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.cron_plans
    ADD CONSTRAINT cron_plans_pkey PRIMARY KEY (trigger_name);

ALTER TABLE ONLY joinery.event_clock
    ADD CONSTRAINT event_clock_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.event_destinations
    ADD CONSTRAINT event_destinations_pkey PRIMARY KEY (destination);

ALTER TABLE ONLY joinery.event_invocations_20261128
    ADD CONSTRAINT event_invocations_20261128_pkey PRIMARY KEY (event_id, id);

ALTER TABLE ONLY joinery.event_invocations_20261129
    ADD CONSTRAINT event_invocations_20261129_pkey PRIMARY KEY (event_id, id);

ALTER TABLE ONLY joinery.event_invocations_20261130
    ADD CONSTRAINT event_invocations_20261130_pkey PRIMARY KEY (event_id, id);

ALTER TABLE ONLY joinery.event_invocations_20261201
    ADD CONSTRAINT event_invocations_20261201_pkey PRIMARY KEY (event_id, id);

ALTER TABLE ONLY joinery.event_invocations_default
    ADD CONSTRAINT event_invocations_default_pkey PRIMARY KEY (event_id, id);

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

ALTER TABLE joinery.scheduled_events
    ADD CONSTRAINT scheduled_events_number_check CHECK ((LEAST(num_retries, retry_interval_seconds, (timeout_seconds - 1), tolerance_seconds, catch_up_seconds) >= 0)) NOT VALID;

ALTER TABLE ONLY joinery.scheduled_events
    ADD CONSTRAINT scheduled_events_pkey PRIMARY KEY (id);

ALTER TABLE joinery.scheduled_events
    ADD CONSTRAINT scheduled_events_text_check CHECK (((''::text <> webhook) AND (''::text <> ordering_key))) NOT VALID;

ALTER TABLE ONLY joinery.shared_tasks
    ADD CONSTRAINT shared_tasks_pkey PRIMARY KEY (name);

ALTER TABLE ONLY joinery.source_function_migrations
    ADD CONSTRAINT source_function_migrations_pkey PRIMARY KEY (name);

ALTER TABLE ONLY joinery.source_identity
    ADD CONSTRAINT source_identity_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.source_leases
    ADD CONSTRAINT source_leases_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.source_migrations
    ADD CONSTRAINT source_migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY joinery.traffic_history
    ADD CONSTRAINT traffic_history_pkey PRIMARY KEY (period_seconds, at, kind, destination);

ALTER TABLE ONLY joinery.traffic_writes
    ADD CONSTRAINT traffic_writes_pkey PRIMARY KEY (node);

ALTER TABLE ONLY joinery.trigger_1_s1_packed
    ADD CONSTRAINT trigger_1_s1_packed_pkey PRIMARY KEY (seq);

ALTER TABLE ONLY joinery.trigger_adopted_events
    ADD CONSTRAINT trigger_adopted_events_number_seq_key UNIQUE (number, seq);

ALTER TABLE ONLY joinery.trigger_adopted_events
    ADD CONSTRAINT trigger_adopted_events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.trigger_batches
    ADD CONSTRAINT trigger_batches_pkey PRIMARY KEY (id);

ALTER TABLE ONLY joinery.trigger_cursors
    ADD CONSTRAINT trigger_cursors_pkey PRIMARY KEY (number, ordered, id);

ALTER TABLE ONLY joinery.trigger_segments
    ADD CONSTRAINT trigger_segments_pkey PRIMARY KEY (number, segment);

ALTER TABLE ONLY joinery.trigger_stamps
    ADD CONSTRAINT trigger_stamps_pkey PRIMARY KEY (number, stamp);

ALTER TABLE ONLY joinery.trigger_work
    ADD CONSTRAINT trigger_work_pkey PRIMARY KEY (number, seq);

ALTER TABLE ONLY joinery.triggers
    ADD CONSTRAINT triggers_owner_name_key UNIQUE (owner, name);

ALTER TABLE ONLY joinery.triggers
    ADD CONSTRAINT triggers_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.author
    ADD CONSTRAINT author_name_key UNIQUE (name);

ALTER TABLE ONLY public.author
    ADD CONSTRAINT author_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.book
    ADD CONSTRAINT book_pkey PRIMARY KEY (id);

CREATE INDEX action_log_created ON joinery.action_log USING btree (action_name, created_at, id);

CREATE INDEX action_log_done ON joinery.action_log USING btree (response_received_at) WHERE (response_received_at IS NOT NULL);

CREATE INDEX action_log_due ON joinery.action_log USING btree (action_name, due_at) WHERE (status = 'created'::text);

CREATE INDEX action_log_lease ON joinery.action_log USING btree (lease) WHERE (lease IS NOT NULL);

CREATE INDEX audit_log_at ON joinery.audit_log USING btree (at);

CREATE INDEX event_invocations_20261128_created_at_idx ON joinery.event_invocations_20261128 USING btree (created_at);

CREATE INDEX event_invocations_20261128_created_at_idx1 ON joinery.event_invocations_20261128 USING btree (created_at) WHERE ((status IS NULL) OR ((status < 200) OR (status > 299)));

CREATE INDEX event_invocations_20261129_created_at_idx ON joinery.event_invocations_20261129 USING btree (created_at);

CREATE INDEX event_invocations_20261129_created_at_idx1 ON joinery.event_invocations_20261129 USING btree (created_at) WHERE ((status IS NULL) OR ((status < 200) OR (status > 299)));

CREATE INDEX event_invocations_20261130_created_at_idx ON joinery.event_invocations_20261130 USING btree (created_at);

CREATE INDEX event_invocations_20261130_created_at_idx1 ON joinery.event_invocations_20261130 USING btree (created_at) WHERE ((status IS NULL) OR ((status < 200) OR (status > 299)));

CREATE INDEX event_invocations_20261201_created_at_idx ON joinery.event_invocations_20261201 USING btree (created_at);

CREATE INDEX event_invocations_20261201_created_at_idx1 ON joinery.event_invocations_20261201 USING btree (created_at) WHERE ((status IS NULL) OR ((status < 200) OR (status > 299)));

CREATE INDEX event_invocations_default_created_at_idx ON joinery.event_invocations_default USING btree (created_at);

CREATE INDEX event_invocations_default_created_at_idx1 ON joinery.event_invocations_default USING btree (created_at) WHERE ((status IS NULL) OR ((status < 200) OR (status > 299)));

CREATE INDEX processed_events_processed_at ON joinery.processed_events USING btree (processed_at);

CREATE INDEX processed_events_schedule_at ON joinery.processed_events USING btree (schedule_at);

CREATE INDEX processed_events_trigger ON joinery.processed_events USING btree (trigger_name, schedule_at) WHERE (trigger_name IS NOT NULL);

CREATE INDEX processed_events_trigger_unsuccessful ON joinery.processed_events USING btree (trigger_name, schedule_at) WHERE ((trigger_name IS NOT NULL) AND ((status <> 'delivered'::text) OR (tries > 1)));

CREATE INDEX processed_events_unsuccessful ON joinery.processed_events USING btree (schedule_at) WHERE ((status <> 'delivered'::text) OR (tries > 1));

CREATE INDEX scheduled_events_due ON joinery.scheduled_events USING btree (due_at) WHERE ((lease IS NULL) AND (ordering_key IS NULL));

CREATE INDEX scheduled_events_lane ON joinery.scheduled_events USING btree (lane, due_at) WHERE ((lease IS NULL) AND (ordering_key IS NULL));

CREATE INDEX scheduled_events_lease ON joinery.scheduled_events USING btree (lease) WHERE (lease IS NOT NULL);

CREATE INDEX scheduled_events_order ON joinery.scheduled_events USING btree (ordering_key, schedule_at, created_at, id) WHERE (ordering_key IS NOT NULL);

CREATE INDEX scheduled_events_order_due ON joinery.scheduled_events USING btree (due_at) WHERE ((lease IS NULL) AND (ordering_key IS NOT NULL));

CREATE INDEX scheduled_events_order_held ON joinery.scheduled_events USING btree (ordering_key, lease) WHERE ((ordering_key IS NOT NULL) AND (lease IS NOT NULL));

CREATE INDEX scheduled_events_order_lane ON joinery.scheduled_events USING btree (lane, due_at) WHERE ((lease IS NULL) AND (ordering_key IS NOT NULL));

CREATE INDEX scheduled_events_retried ON joinery.scheduled_events USING btree (schedule_at) WHERE ((lease IS NULL) AND (next_retry_at IS NOT NULL));

CREATE UNIQUE INDEX scheduled_events_trigger ON joinery.scheduled_events USING btree (trigger_name, schedule_at) WHERE (trigger_name IS NOT NULL);

CREATE INDEX trigger_1_log_s1_seq_attempt_idx ON joinery.trigger_1_log_s1 USING btree (seq, attempt);

CREATE INDEX trigger_1_log_s1_seq_idx ON joinery.trigger_1_log_s1 USING btree (seq) WHERE (outcome = ANY (ARRAY['error'::text, 'dead'::text]));

CREATE INDEX trigger_1_s1_seq_idx ON joinery.trigger_1_s1 USING brin (seq) WITH (pages_per_range='32', autosummarize='on');

CREATE INDEX trigger_1_s1_xid_seq_idx ON joinery.trigger_1_s1 USING btree (xid, seq);

CREATE INDEX trigger_batches_number ON joinery.trigger_batches USING btree (number, segment);

CREATE INDEX trigger_stamps_segment ON joinery.trigger_stamps USING btree (number, segment);

CREATE INDEX trigger_stamps_xid ON joinery.trigger_stamps USING btree (number, xid);

CREATE INDEX trigger_work_due ON joinery.trigger_work USING btree (number, due_at) WHERE (lease IS NULL);

CREATE INDEX trigger_work_key ON joinery.trigger_work USING btree (number, ordering_key, stamp, seq) WHERE (ordering_key IS NOT NULL);

CREATE INDEX trigger_work_lease ON joinery.trigger_work USING btree (lease) WHERE (lease > 0);

CREATE INDEX trigger_work_segment ON joinery.trigger_work USING btree (number, segment);

CREATE TRIGGER announce_actions AFTER INSERT ON joinery.action_log FOR EACH STATEMENT EXECUTE FUNCTION joinery.announce_actions();

CREATE TRIGGER announce_destinations AFTER INSERT OR DELETE OR UPDATE ON joinery.event_destinations FOR EACH STATEMENT EXECUTE FUNCTION joinery.announce_destinations();

CREATE TRIGGER announce_events AFTER INSERT ON joinery.scheduled_events REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION joinery.announce_events();

CREATE TRIGGER forget_event_keys AFTER DELETE ON joinery.processed_events REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION joinery.forget_event_keys();

CREATE TRIGGER next_in_order_deleted AFTER DELETE ON joinery.scheduled_events FOR EACH ROW WHEN ((old.ordering_key IS NOT NULL)) EXECUTE FUNCTION joinery.next_in_order();

CREATE TRIGGER next_in_order_updated AFTER UPDATE OF lease, schedule_at, ordering_key ON joinery.scheduled_events FOR EACH ROW WHEN (((old.ordering_key IS NOT NULL) AND (((old.lease > 0) AND (new.lease IS NULL)) OR (old.schedule_at <> new.schedule_at) OR (old.ordering_key IS DISTINCT FROM new.ordering_key)))) EXECUTE FUNCTION joinery.next_in_order();

CREATE TRIGGER joinery_1_insert AFTER INSERT ON public.book REFERENCING NEW TABLE AS joinery_new FOR EACH STATEMENT EXECUTE FUNCTION joinery.joinery_1_insert();

ALTER TABLE ONLY public.book
    ADD CONSTRAINT book_author_id_fkey FOREIGN KEY (author_id) REFERENCES public.author(id);

REVOKE ALL ON FUNCTION joinery.add_packed_statements(number integer, segment integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.add_trigger(name text, table_schema text, table_name text, ordered boolean, owner text) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.adopt_database() FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.adopt_restored_events(number integer, restored timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.adopted_event_id(number integer, seq bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.claim_due_trigger_events(holder bigint, number integer, soon timestamp with time zone, most integer, inline integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.claim_new_trigger_events(holder bigint, number integer, most integer, inline integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.claim_ordered_trigger_events(holder bigint, number integer, most integer, inline integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.claim_snapshot() FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.claim_trigger_events(holder bigint, ahead interval, most integer, most_each integer, limits json, except_triggers integer[], inline integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.cluster_id(OUT cluster bigint, OUT timeline text) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.confirm_trigger_events(holder bigint, numbers integer[], seqs bigint[], batches bigint[], OUT number integer, OUT seq bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.debounce_trigger_events(wanted integer, segment integer, stamps bigint[], xids xid8[], firsts bigint[], lasts bigint[], after_stamp bigint, after_seq bigint, most integer, holder bigint, window_ms integer, OUT fetched bigint, OUT outdated boolean, OUT stamp bigint, OUT seq bigint, OUT seqs bigint[], OUT xids_claimed xid8[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.drop_trigger_segment(number integer, segment integer, with_log boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.event_id(number integer, seq bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.event_id_of(seq text, number integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.event_seq(id uuid, OUT number integer, OUT seq bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.free_ordered_events(numbers integer[], keys text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.has_packed_statements(number integer, segment integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.invoke_trigger(number integer, payload json, session text, trace text) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.joinery_1_insert() FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.lock_noted_trigger_keys() FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.lock_ordered_triggers(numbers integer[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.lock_trigger_keys(number integer, mask bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.note_ordered_events(number integer, mask bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.open_trigger_segment(number integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.printing_settings() FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.redeliver_trigger_event(id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.redeliver_trigger_events(number integer, statuses text[], from_time timestamp with time zone, until_time timestamp with time zone, data jsonb, most integer, OUT redelivered integer, OUT more boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.release_trigger_events(holder bigint, numbers integer[], seqs bigint[], chosen boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.remove_trigger(number integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.remove_trigger_tables() FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.seal_trigger_segments() FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.set_trigger_capture(number integer, parts text[], ordered boolean, packed text, unpack text[], hash text) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.settle_trigger_events(outcomes json, sent_agent text) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.settle_trigger_work(numbers integer[], seqs bigint[], batches bigint[], leases bigint[], statuses text[], retries double precision[], keeps boolean[], attempts integer[], OUT place bigint, OUT number integer, OUT ordering_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.skip_event_numbers() FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.source_lease_is_valid(lease bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.stamp_trigger_events() FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.sweep_trigger_events() FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.take_over_hasura_events(number integer, hasura_name text, ordering_key text[], claimed boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.trigger_event_columns() FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.trigger_event_rows(number integer, segment integer, seq bigint, OUT old text, OUT new text) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.trigger_statement_events(number integer, segment integer, xid xid8, first_seq bigint, OUT last_seq bigint, OUT mask bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.trigger_statistics(number integer, most integer, OUT pending bigint, OUT is_capped boolean, OUT retrying bigint, OUT waiting bigint, OUT oldest_at timestamp with time zone, OUT last_call_at timestamp with time zone, OUT calls bigint, OUT delivered bigint, OUT failed bigint, OUT dead bigint, OUT p50 double precision, OUT p95 double precision, OUT seconds double precision) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.trigger_work_events(number integer, segment integer, seqs bigint[], xids xid8[], inline integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION joinery.unpack_trigger_events(number integer, most integer) FROM PUBLIC;

