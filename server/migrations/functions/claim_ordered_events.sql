-- Claims events with an ordering key: the first event of each key, unless another event of the key is claimed. Blocks the others with the
-- lease 0. Two claims at the same time may each claim an event of one key; the confirmation before the call finds that.
create or replace function joinery.claim_ordered_events(
  holder bigint, ahead interval, most integer, most_each integer, except_lanes text[], with_targets boolean
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
  candidates uuid[];
  taken integer := 0;
  moved integer;
begin
  if not joinery.lease_is_valid(holder) then
    return;
  end if;
  -- A round may find only events that must wait for others. A claim ends after a hundred rounds.
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

-- Nodes of earlier versions call webhooks only.
create or replace function joinery.claim_ordered_events(
  holder bigint, ahead interval, most integer, most_each integer, except_lanes text[]
)
returns setof joinery.scheduled_events
language sql
as $$ select * from joinery.claim_ordered_events(holder, ahead, most, most_each, except_lanes, false) $$;
