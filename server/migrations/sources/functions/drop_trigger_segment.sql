-- Drops a drained segment whose events are final; without `with_log` the log of calls stays. Returns false where events are pending
-- or a reader locks the segment. Writers do not delay it, because there are none.
create or replace function joinery.drop_trigger_segment(number integer, segment integer, with_log boolean default true)
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set lock_timeout = '200ms'
as $$
declare
  known joinery.trigger_segments;
begin
  -- Before any other lock: see remove_trigger.
  perform pg_advisory_xact_lock(1785687922, 1);
  select * into known from joinery.trigger_segments s
  where s.number = drop_trigger_segment.number and s.segment = drop_trigger_segment.segment and s.drained_at is not null
  for update;
  if not found
    or not with_log and known.events_dropped_at is not null
    or exists (
      select from joinery.trigger_work w
      where w.number = drop_trigger_segment.number and w.segment = drop_trigger_segment.segment
    )
    or exists (
      select from joinery.trigger_batches b
      where b.number = drop_trigger_segment.number and b.segment = drop_trigger_segment.segment
    )
  then
    return false;
  end if;
  execute format('drop table if exists joinery.trigger_%1$s_s%2$s, joinery.trigger_%1$s_s%2$s_packed', number, segment);
  if with_log then
    execute format('drop table if exists joinery.trigger_%s_log_s%s', number, segment);
    delete from joinery.trigger_adopted_events a
    where a.number = drop_trigger_segment.number and a.segment = drop_trigger_segment.segment;
    delete from joinery.trigger_segments s
    where s.number = drop_trigger_segment.number and s.segment = drop_trigger_segment.segment;
  else
    update joinery.trigger_segments s set events_dropped_at = clock_timestamp()
    where s.number = drop_trigger_segment.number and s.segment = drop_trigger_segment.segment;
  end if;
  return true;
exception when lock_not_available then
  return false;
end
$$;
