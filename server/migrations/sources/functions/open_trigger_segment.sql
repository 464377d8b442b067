-- Creates the next segment of a trigger, with the table of its log, and moves capture to it. Locks neither the table of the user
-- nor its writers: transactions that run may write to the previous segment until they end.
create or replace function joinery.open_trigger_segment(number integer)
returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  known joinery.triggers;
  opened integer;
  events text;
  log text;
begin
  -- Released after the sessions were notified of the changed functions: see seal_trigger_segments.
  perform pg_advisory_xact_lock(1785687922, 0);
  select * into strict known from joinery.triggers t where t.number = open_trigger_segment.number for update;
  opened := known.segment + 1;
  events := format('trigger_%s_s%s', known.number, opened);
  log := format('trigger_%s_log_s%s', known.number, opened);
  -- A transaction has its id before its events have numbers: claims depend on it.
  execute format(
    'create table joinery.%I (
      xid xid8 not null default pg_current_xact_id(),
      seq bigint not null default nextval(%L),
      -- i, u, d, m: captured as the trigger is defined. I, U, D: whole rows of a table that had changed.
      op "char" not null,
      -- Of an ordered trigger: true for the only event of a statement, false for the first of several, null for the others.
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
      -- Null without a response.
      status integer,
      -- delivered, error or dead; null if the call is retried.
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
