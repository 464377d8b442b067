-- Moves the pending events of a trigger of Hasura v2 with this name to a trigger, with their ids, calls and times, and archives them
-- in hdb_catalog.event_log, so that Hasura v2 does not deliver them. Events that a node of Hasura v2 has claimed are moved only
-- where `claimed` is true, or after the 30 minutes of the claim. `ordering_key` has the columns of the key; null for none. Returns
-- the number of moved events.
create or replace function joinery.take_over_hasura_events(
  number integer, hasura_name text, ordering_key text[], claimed boolean
)
returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  known joinery.triggers;
  taken bigint;
  keys text[];
begin
  -- The segment remains the current one until the events are written.
  select * into strict known from joinery.triggers t where t.number = take_over_hasura_events.number for update;
  execute format(
    $statement$
    with free as materialized (
      select h.id, h.ctid as place from hdb_catalog.event_log h
      where h.trigger_name = $1 and not h.delivered and not h.error and not h.archived
        and ($2 or h.locked is null or h.locked < clock_timestamp() - interval '30 minutes')
      for update skip locked
    ), moved as (
      update hdb_catalog.event_log h set archived = true, locked = null from free where h.id = free.id
      returning h.id, free.place, h.payload ->> 'op' as op, nullif(h.payload #> '{data,old}', 'null') as old,
        nullif(h.payload #> '{data,new}', 'null') as new, nullif(h.payload -> 'session_variables', 'null')::text as session,
        nullif(h.payload -> 'trace_context', 'null')::text as trace, h.tries, h.created_at::timestamptz as created_at,
        coalesce(h.next_retry_at::timestamptz, clock_timestamp()) as due_at
    ), event as materialized (
      select m.*, nextval(%1$L) as seq, key.printed as ordering_key
      from (select * from moved order by created_at, place) m
      cross join lateral (
        select case when m.op <> 'MANUAL' then nullif(
          '[' || string_agg(coalesce((coalesce(m.new, m.old) -> c.name)::text, 'null'), ', ' order by c.place) || ']',
          '[' || string_agg('null', ', ') || ']'
        ) end as printed
        from unnest($3) with ordinality c (name, place)
      ) key
    ), written as (
      -- Transaction 0 counts as claimed from the beginning, so that these events are found in trigger_work only.
      insert into joinery.trigger_%2$s_s%3$s (xid, seq, op, old, new, session, trace, ordering_key, created_at)
      select '0', e.seq, (case e.op when 'INSERT' then 'i' when 'UPDATE' then 'u' when 'DELETE' then 'd' else 'm' end)::"char",
        e.old::json, e.new::json, e.session, e.trace, e.ordering_key, e.created_at
      from event e
    ), named as (
      insert into joinery.trigger_adopted_events (number, seq, segment, id)
      select %2$s, e.seq, %3$s, e.id::uuid from event e where e.id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      on conflict (id) do nothing
    ), waiting as (
      -- Ordered events are before all that were captured.
      insert into joinery.trigger_work (number, seq, segment, xid, lease, tries, due_at, ordering_key, stamp)
      select %2$s, e.seq, %3$s, '0', case when e.ordering_key is not null then 0 end, e.tries, e.due_at, e.ordering_key,
        case when e.ordering_key is not null then 0 end
      from event e
      returning ordering_key
    )
    select count(*), coalesce(array_agg(distinct w.ordering_key) filter (where w.ordering_key is not null), '{}')
    from waiting w
    $statement$,
    known.sequence, known.number, known.segment)
  into taken, keys
  using hasura_name, claimed, ordering_key;
  perform joinery.free_ordered_events(array_fill(known.number, array[cardinality(keys)]), keys);
  if taken > 0 then
    perform pg_notify('joinery_triggers', known.number::text);
  end if;
  return taken;
end
$$;
