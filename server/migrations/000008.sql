-- The nodes of the service, each kept alive by itself; and a way to the calls that were not a success.

create table joinery.nodes (
  -- Leases of the node have it in event_leases.node, with a word for what is held.
  id text primary key,
  host text not null,
  pid integer not null,
  version text not null,
  components text[] not null,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp()
);

-- Of successes there are too many to be worth an index of their own: a page of them is found in that of all calls.
create index event_invocations_unsuccessful on joinery.event_invocations (created_at)
  where status is null or status not between 200 and 299;
