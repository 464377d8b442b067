-- Makes finished events of a trigger free at once, with a new retry budget: at most `most` with one of the statuses, the earliest
-- segments first. `from_time` and `until_time` bound created_at; `data` is JSON that {"old", "new"} contain. Null members do not restrict.
-- `more`: further events match. Failed events are found by an index.
create or replace function joinery.redeliver_trigger_events(
  number integer, statuses text[], from_time timestamptz, until_time timestamptz, data jsonb, most integer,
  out redelivered integer, out more boolean
)
language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  one integer;
  found_here integer;
  added integer;
  keys text[];
begin
  redelivered := 0;
  more := false;
  perform joinery.lock_ordered_triggers(array[number]);
  for one in
    select s.segment from joinery.trigger_segments s
    where s.number = redeliver_trigger_events.number and s.events_dropped_at is null
      -- A transaction that writes to a segment began before its end.
      and (from_time is null or s.closed_at is null or s.closed_at >= from_time)
    order by s.segment
  loop
    execute format(
      'with ended as materialized (
        select e.xid, e.seq, e.ordering_key, l.attempt from joinery.trigger_%1$s_log_s%2$s l
        join joinery.trigger_%1$s_s%2$s e on e.seq = l.seq
        where l.outcome = any (%3$L::text[])
          and not exists (select from joinery.trigger_work w where w.number = %1$s and w.seq = l.seq)
          and not exists (select from joinery.trigger_%1$s_log_s%2$s o where o.seq = l.seq and o.attempt > l.attempt)
          and ($1 is null or e.created_at >= $1)
          and ($2 is null or e.created_at < $2)
          and ($3 is null or jsonb_build_object(''old'', e.old, ''new'', e.new) @> $3)
        limit $4 + 1
      ), added as (
        insert into joinery.trigger_work (
          number, seq, segment, xid, tries, requeued_at, requeued_tries, ordering_key, stamp, lease
        )
        select %1$s, e.seq, %2$s, e.xid, e.attempt, clock_timestamp(), e.attempt, e.ordering_key,
          -- Before all events that wait.
          case when e.ordering_key is not null then 0 end, case when e.ordering_key is not null then 0 end
        from ended e limit $4
        on conflict do nothing
        returning ordering_key
      )
      select (select count(*) from ended), (select count(*) from added),
        array(select distinct a.ordering_key from added a where a.ordering_key is not null)', number, one, statuses)
    into found_here, added, keys
    using from_time, until_time, data, most - redelivered;
    redelivered := redelivered + added;
    if cardinality(keys) > 0 then
      perform joinery.free_ordered_events(array_fill(number, array[cardinality(keys)]), keys);
    end if;
    more := found_here > added;
    exit when more;
  end loop;
  if redelivered > 0 then
    perform pg_notify('joinery_triggers', number::text);
  end if;
end
$$;
