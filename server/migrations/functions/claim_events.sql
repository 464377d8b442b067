-- Claims due events without an ordering key, the earliest first, then those with one. Events that are due before `earliest` are skipped:
-- while a transaction prevents vacuum, the index begins with the entries of all events that were delivered meanwhile. The update names
-- next_retry_at, which due_at is generated from: without a column of a generated one, PostgreSQL 18 parses the generated expressions for
-- each row, a quarter of the time of a claim.
create or replace function joinery.claim_events(
  holder bigint, ahead interval, most integer, except_lanes text[], with_targets boolean,
  earliest timestamptz
)
returns setof joinery.scheduled_events
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
declare
  soon timestamptz := joinery.event_now() + ahead;
begin
  if not joinery.lease_is_valid(holder) then
    return;
  end if;
  -- A claim that is lost when the database crashes is made again; no call waits for the disk.
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

-- For nodes of earlier versions.
create or replace function joinery.claim_events(
  holder bigint, ahead interval, most integer, except_lanes text[], with_targets boolean
)
returns setof joinery.scheduled_events
language sql
as $$ select * from joinery.claim_events(holder, ahead, most, except_lanes, with_targets, '-infinity') $$;

-- Nodes of earlier versions call webhooks only.
create or replace function joinery.claim_events(
  holder bigint, ahead interval, most integer, except_lanes text[]
)
returns setof joinery.scheduled_events
language sql
as $$ select * from joinery.claim_events(holder, ahead, most, except_lanes, false, '-infinity') $$;
