-- Makes a finished or waiting event free at once, with a new retry budget. Returns `ok`, `busy` while the event is claimed, and
-- `not-exists`.
create or replace function joinery.redeliver_trigger_event(id uuid)
returns text
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  wanted record;
  known record;
  work joinery.trigger_work;
  one integer;
  calls integer;
begin
  select * into wanted from joinery.event_seq(redeliver_trigger_event.id);
  if not found then
    return 'not-exists';
  end if;
  -- Before any other lock: see remove_trigger.
  perform pg_advisory_xact_lock_shared(1785687922, 1);
  perform joinery.lock_ordered_triggers(array[wanted.number]);
  select * into work from joinery.trigger_work w where w.number = wanted.number and w.seq = wanted.seq for update;
  if found then
    if work.lease > 0 then
      return 'busy';
    end if;
    update joinery.trigger_work w
    set due_at = clock_timestamp(), requeued_at = clock_timestamp(), requeued_tries = w.tries
    where w.number = wanted.number and w.seq = wanted.seq;
    return 'ok';
  end if;
  if exists (
    select from joinery.trigger_batches b where b.number = wanted.number and wanted.seq = any (b.seqs)
  ) then
    return 'busy';
  end if;
  for one in
    select s.segment from joinery.trigger_segments s where s.number = wanted.number and s.events_dropped_at is null
    order by s.segment desc
  loop
    execute format(
      'select e.xid, e.ordering_key, (select max(l.attempt) from joinery.trigger_%1$s_log_s%2$s l where l.seq = e.seq) as calls
      from joinery.trigger_%1$s_s%2$s e where e.seq = $1', wanted.number, one)
    into known using wanted.seq;
    if known.xid is not null then
      -- Without a call the event has not been claimed.
      if known.calls is not null then
        insert into joinery.trigger_work (
          number, seq, segment, xid, tries, requeued_at, requeued_tries, ordering_key, stamp, lease
        )
        values (
          wanted.number, wanted.seq, one, known.xid, known.calls, clock_timestamp(), known.calls, known.ordering_key,
          -- Before all events that wait.
          case when known.ordering_key is not null then 0 end,
          case when known.ordering_key is not null then 0 end
        );
        perform joinery.free_ordered_events(array[wanted.number], array[known.ordering_key]);
      end if;
      perform pg_notify('joinery_triggers', wanted.number::text);
      return 'ok';
    end if;
  end loop;
  return 'not-exists';
end
$$;
