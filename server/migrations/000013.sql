-- Counts of calls and operations by minute and by hour, kind and destination. Histograms have a count for each class of
-- events/history/histogram.ts, without the empty classes at the end.
create table joinery.traffic_history (
  period_seconds integer not null,
  at timestamptz not null,
  kind text not null,
  destination text not null,
  count bigint not null,
  delivered bigint not null,
  retried bigint not null,
  failed bigint not null,
  dead bigint not null,
  duration integer[] not null,
  lateness integer[] not null,
  backlog bigint not null,
  backlog_ms bigint not null,
  primary key (period_seconds, at, kind, destination)
) with (fillfactor = 70);

-- The number of the last write of each node, so that a write whose result was lost is not repeated.
create table joinery.traffic_writes (
  node text primary key,
  number bigint not null,
  at timestamptz not null
);

-- When a task that one node at a time runs was last taken.
create table joinery.shared_tasks (
  name text primary key,
  taken_at timestamptz not null
);
