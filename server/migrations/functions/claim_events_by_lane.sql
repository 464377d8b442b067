-- Claims at most `most_each` events of each lane. Events without an ordering key that are due before `earliest` are skipped: see
-- claim_events.
create or replace function joinery.claim_events_by_lane(
  holder bigint, ahead interval, most integer, most_each integer, except_lanes text[], with_targets boolean,
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

-- For nodes of earlier versions.
create or replace function joinery.claim_events_by_lane(
  holder bigint, ahead interval, most integer, most_each integer, except_lanes text[], with_targets boolean
)
returns setof joinery.scheduled_events
language sql
as $$
  select * from joinery.claim_events_by_lane(holder, ahead, most, most_each, except_lanes, with_targets, '-infinity')
$$;

-- Nodes of earlier versions call webhooks only.
create or replace function joinery.claim_events_by_lane(
  holder bigint, ahead interval, most integer, most_each integer, except_lanes text[]
)
returns setof joinery.scheduled_events
language sql
as $$ select * from joinery.claim_events_by_lane(holder, ahead, most, most_each, except_lanes, false) $$;
