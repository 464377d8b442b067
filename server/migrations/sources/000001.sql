-- Event triggers of a source: what is captured, how far each trigger has been claimed, and what is in flight. All tables that
-- are updated or deleted from have a primary key, so that a publication for all tables can include them.

-- One row for each node that delivers events of this source.
create table joinery.source_leases (
  id bigint generated always as identity primary key,
  node text not null,
  taken_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  draining boolean not null default false
);

-- The salt of event ids, and the server to which the transaction ids of the events belong. One row.
create table joinery.source_identity (
  id smallint primary key default 1 check (id = 1),
  salt uuid not null default gen_random_uuid(),
  -- Null where they cannot be read.
  cluster bigint,
  timeline text,
  -- The start of the server for which adopt_database has compared them.
  server_started timestamptz,
  -- Set while the events of a database that was restored in another cluster are adopted.
  restored_at timestamptz
);
insert into joinery.source_identity default values;
do $$
begin
  update joinery.source_identity set cluster = (select c.system_identifier from pg_control_system() c);
exception
  when insufficient_privilege or feature_not_supported or undefined_function then
    return;
end
$$;

create table joinery.triggers (
  -- Part of the names of the tables and functions of the trigger, and of the ids of its events.
  number integer generated always as identity primary key check (number < 16777216),
  -- The service and its source, "<installation>/<source>": several can share a database.
  owner text not null default '',
  name text not null,
  table_schema text not null,
  table_name text not null,
  -- Written and compared by the service.
  definition_hash text not null default '',
  -- Whether events are delivered in commit order within a key.
  ordered boolean not null,
  -- The window of a debounce: of the events of an ordering key that are not yet called, only the last is delivered, at its end.
  debounce_ms integer,
  -- The segment into which events are captured.
  segment integer not null default 0,
  -- The numbers of the events.
  sequence regclass,
  -- The SQL that creates the capture functions, divided where the name of the segment belongs.
  capture text[],
  -- The columns of the arrays of packed statements, and the SQL that makes events of them, divided in the same way. Null: not packed.
  packed text,
  unpack text[],
  -- Events are captured and not claimed.
  paused boolean not null default false,
  -- When a claim first found events that were captured from a table other than the one the functions were printed for.
  outdated_at timestamptz,
  created_at timestamptz not null default now(),
  -- When a node last replaced and dropped segments: one node at a time does so.
  maintained_at timestamptz,
  -- The last run of a clean-up with a schedule.
  cleaned_at timestamptz not null default now(),
  unique (owner, name)
);

-- The events of trigger 7 are in the tables joinery.trigger_7_s1, joinery.trigger_7_s2 and so on, the log of their calls in
-- joinery.trigger_7_log_s1 and so on. Statements on many rows are in joinery.trigger_7_s1_packed until events are made of them.
create table joinery.trigger_segments (
  number integer not null,
  segment integer not null,
  -- Whether its transactions have stamps.
  ordered boolean not null,
  -- The SQL that makes events of packed statements, which are in the table joinery.trigger_7_s1_packed. Null: there is none.
  unpack text,
  opened_at timestamptz not null default clock_timestamp(),
  -- When capture moved to the next segment.
  closed_at timestamptz,
  -- The virtual transactions that ran just after `closed_at`: they may still write to the segment.
  writers text[],
  -- Set when none of `writers` runs any more: all rows have smaller transaction ids.
  sealed_before xid8,
  -- When all events had been claimed: claims no longer read the segment.
  drained_at timestamptz,
  -- When the events were dropped and the log of their calls was not.
  events_dropped_at timestamptz,
  primary key (number, segment)
);

-- How far a trigger has been claimed, of ordered segments and of others: the newest row. Each claim inserts a row and deletes the previous one. Updates of one row
-- would form a chain of versions, which each claim would read while a long transaction prevents their removal.
create table joinery.trigger_cursors (
  number integer not null,
  ordered boolean not null,
  id bigint generated always as identity,
  -- All transactions that this snapshot sees have been claimed.
  claimed pg_snapshot not null,
  -- The snapshot up to which a claim is incomplete; null between two such windows.
  upto pg_snapshot,
  -- The last claimed event of an incomplete window: segment and transaction, or the stamp of an ordered trigger.
  segment integer not null default 0,
  xid xid8 not null default '0',
  stamp bigint not null default 0,
  seq bigint not null default 0,
  -- The last number of the sequence at the previous window. All transactions with events up to this number have ids before
  -- `seen_before`; 0: this is not known yet.
  seen bigint not null default 0,
  seen_before xid8 not null default '0',
  -- The last number of the sequence when nothing can be left to claim; null if there may be something.
  quiet bigint,
  primary key (number, ordered, id)
);

-- Claimed events of unordered triggers, one row for each claim: `xids` and `seqs` are the events without an outcome.
create sequence joinery.trigger_batch;
create table joinery.trigger_batches (
  id bigint primary key,
  number integer not null,
  segment integer not null,
  lease bigint not null,
  claimed_at timestamptz not null default clock_timestamp(),
  xids xid8[] not null,
  seqs bigint[] not null
);
create index trigger_batches_number on joinery.trigger_batches (number, segment);

-- Events that wait for a retry or behind their ordering key, that were released or redelivered, and those of them that are
-- claimed. The row is deleted with the final outcome.
create table joinery.trigger_work (
  number integer not null,
  seq bigint not null,
  segment integer not null,
  xid xid8 not null,
  -- Null: free. 0: waits behind its ordering key. Otherwise the row in source_leases under which it is claimed.
  lease bigint,
  tries integer not null default 0,
  due_at timestamptz not null default clock_timestamp(),
  -- The last redelivery, and the calls before it.
  requeued_at timestamptz,
  requeued_tries integer not null default 0,
  ordering_key text,
  stamp bigint,
  primary key (number, seq)
);
create index trigger_work_due on joinery.trigger_work (number, due_at) where lease is null;
create index trigger_work_lease on joinery.trigger_work (lease) where lease > 0;
create index trigger_work_key on joinery.trigger_work (number, ordering_key, stamp, seq) where ordering_key is not null;
create index trigger_work_segment on joinery.trigger_work (number, segment);
alter table joinery.trigger_work set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);

-- The events of one transaction of an ordered trigger, in commit order within each key. Deleted when claimed.
create sequence joinery.trigger_stamp;
create table joinery.trigger_stamps (
  number integer not null,
  stamp bigint not null,
  segment integer not null,
  xid xid8 not null default pg_current_xact_id(),
  first_seq bigint not null,
  last_seq bigint not null,
  primary key (number, stamp)
);
create index trigger_stamps_xid on joinery.trigger_stamps (number, xid);
create index trigger_stamps_segment on joinery.trigger_stamps (number, segment);

-- The ids of events that were taken over from Hasura v2. In segments they have the transaction 0.
create table joinery.trigger_adopted_events (
  id uuid primary key,
  number integer not null,
  seq bigint not null,
  segment integer not null,
  unique (number, seq)
);

-- A claimed event, as the functions that claim return it. A row without a number is no event: `due_ms` is the number of milliseconds
-- until the end of the next window of a debounce.
create type joinery.claimed_trigger_event as (
  number integer,
  seq bigint,
  segment integer,
  -- Null for an event in trigger_work.
  batch bigint,
  id uuid,
  -- INSERT, UPDATE, DELETE or MANUAL.
  op text,
  -- Null for an event whose rows are longer than the claim fetches; see trigger_event_rows.
  old text,
  new text,
  -- Whether old and new are fetched separately.
  large boolean,
  -- Whether the rows are whole, and conditions and columns were not compared, because the table had changed.
  outdated boolean,
  session text,
  trace text,
  ordering_key text,
  -- In UTC, such as 2026-09-01T08:00:00.250000.
  created_at text,
  created_ms double precision,
  due_ms double precision,
  tries integer,
  requeued_ms double precision,
  requeued_tries integer,
  -- The length of both rows.
  bytes integer
);
