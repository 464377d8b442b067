-- Asynchronous actions: what was asked, who asked it, and what came of it.

-- The columns that tools of the reference read carry its names. A row is free while `status` is 'created', under the
-- lease of the node that runs it while it is 'processing', and done in the other two.
create table joinery.action_log (
  id uuid primary key default gen_random_uuid(),
  action_name text not null,
  -- As it is sent to the handler; json keeps every digit and member as it came.
  input_payload json not null,
  -- What the definition of the action forwards and nothing else. Credentials are taken out once the action is done.
  request_headers jsonb not null default '{}',
  session_variables jsonb not null,
  response_payload json,
  errors json,
  status text not null default 'created' check (status in ('created', 'processing', 'completed', 'error')),
  created_at timestamptz not null default clock_timestamp(),
  response_received_at timestamptz,
  -- Calls made so far.
  tries integer not null default 0,
  -- Not called before; later than `created_at` where a call has failed and is to be repeated.
  due_at timestamptz not null default clock_timestamp(),
  -- The holder's row in event_leases.
  lease bigint
);

create index action_log_due on joinery.action_log (action_name, due_at) where status = 'created';
create index action_log_lease on joinery.action_log (lease) where lease is not null;
create index action_log_done on joinery.action_log (response_received_at) where response_received_at is not null;

-- Drops leases that have run out and frees what is held under leases that are not there. Returns how many actions that
-- were. A database that was away long enough for all leases to run out gives their holders time to come back first.
create function joinery.sweep_actions()
returns integer
language plpgsql
as $$
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

-- Wakes the nodes that run actions. Where NOTIFY is not to be had, their poll is enough.
create function joinery.announce_actions() returns trigger language plpgsql as $$
begin
  perform pg_catalog.pg_notify('joinery_actions', '');
  return null;
exception when feature_not_supported then
  return null;
end
$$;

create trigger announce_actions after insert on joinery.action_log
  for each statement execute function joinery.announce_actions();
