-- Drops a drained segment whose events are final, with its log. Returns false where events are pending. The caller sets
-- lock_timeout: readers of the segment delay it, and writers do not, because there are none.
create or replace function joinery.drop_trigger_segment(number integer, segment integer)
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform from joinery.trigger_segments s
  where s.number = drop_trigger_segment.number and s.segment = drop_trigger_segment.segment and s.drained_at is not null
  for update;
  if not found
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
  execute format('drop table if exists joinery.trigger_%1$s_s%2$s, joinery.trigger_%1$s_log_s%2$s', number, segment);
  delete from joinery.trigger_segments s
  where s.number = drop_trigger_segment.number and s.segment = drop_trigger_segment.segment;
  return true;
end
$$;
