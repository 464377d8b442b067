-- Claims at most `most` events under the lease: events that are free in trigger_work and due before `ahead` from now, then new
-- ones. Of each trigger at most `most_each`, or as many as `limits` ({"<number>": <events>}) has; none of the triggers in
-- `except_triggers` and of paused ones. Rows longer than `inline` bytes are fetched with trigger_event_rows. The events of a trigger
-- with a debounce are not claimed ahead of time; a row without a number has the time until the end of the next window.
create or replace function joinery.claim_trigger_events(
  holder bigint, ahead interval, most integer, most_each integer, limits json, except_triggers integer[], inline integer
)
returns setof joinery.claimed_trigger_event
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  soon timestamptz := statement_timestamp() + ahead;
  remaining integer := most;
  quota integer;
  claimed integer;
  candidates jsonb;
  one record;
  next_due timestamptz;
begin
  -- Before any other lock: see remove_trigger.
  if not pg_try_advisory_xact_lock_shared(1785687922, 1) or not joinery.source_lease_is_valid(holder) then
    return;
  end if;
  if exists (
    select from joinery.source_identity i where i.server_started is distinct from pg_postmaster_start_time() or i.restored_at is not null
  ) and not joinery.adopt_database() then
    return;
  end if;
  -- A claim that is lost when the database crashes is made again; no call waits for the disk.
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
  -- The triggers of ordered events, in the order of their numbers, as all functions that free or add such events lock them.
  perform from joinery.triggers t
  where t.number in (
    select (c ->> 0)::integer from jsonb_array_elements(candidates) c where c -> 3 = 'true'
  )
  order by t.number for no key update;
  -- In random order, so that no trigger waits behind the backlog of the others.
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
      -- After the claim has noted the last number: statements that it saw are found, and those that end later are not noted as claimed.
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
