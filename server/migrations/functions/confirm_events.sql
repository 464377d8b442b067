-- Returns those of the events that are still claimed under the lease: the lease is valid, the event was not deleted, changed or claimed by
-- another node, and no other event with its ordering key is claimed. The settings apply when the statement is planned, once for each
-- connection: a plan for an empty table would read all events of a full one.
create or replace function joinery.confirm_events(holder bigint, ids uuid[])
returns setof uuid
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
begin
  if not joinery.lease_is_valid(holder) then
    return;
  end if;
  return query
  -- "is not distinct from" makes the planner use the primary key. The index of leases would match every claimed event if only one node
  -- runs.
  select e.id from joinery.scheduled_events e
  where e.id = any (ids) and e.lease is not distinct from holder
    and (e.ordering_key is null or not exists (
      select from joinery.scheduled_events o where o.ordering_key = e.ordering_key and o.lease > 0 and o.id <> e.id
    ));
end
$$;
