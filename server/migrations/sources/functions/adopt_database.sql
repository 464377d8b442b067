-- Called by claims after a start of the server: returns whether events may be claimed.
--
-- Claims compare transaction ids, which have another meaning when the database was restored in another cluster. Then capture
-- moves to new segments, and once no transaction writes to the previous ones, their events without an outcome move to
-- trigger_work. Until then nothing is claimed.
--
-- After a restore or a failover, numbers of events may have been used for changes that the server has lost. A gap in the numbers
-- ensures that no id is used for two changes that a webhook has seen.
create or replace function joinery.adopt_database()
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  known joinery.source_identity;
  own record;
begin
  select * into own from joinery.cluster_id();
  select * into strict known from joinery.source_identity for update;
  if known.restored_at is null and known.server_started is not distinct from pg_postmaster_start_time() then
    return true;
  end if;
  if known.restored_at is null and known.cluster <> own.cluster then
    -- Before the new segments are opened.
    update joinery.source_identity set restored_at = clock_timestamp();
    perform joinery.skip_event_numbers();
    perform joinery.open_trigger_segment(t.number) from joinery.triggers t;
    return false;
  end if;
  if known.restored_at is not null then
    perform joinery.seal_trigger_segments();
    if exists (
      select from joinery.trigger_segments s where s.opened_at < known.restored_at and s.drained_at is null and s.sealed_before is null
    ) then
      return false;
    end if;
    perform joinery.adopt_restored_events(t.number, known.restored_at) from joinery.triggers t;
  elsif known.timeline <> own.timeline then
    perform joinery.skip_event_numbers();
  end if;
  update joinery.source_identity
  set cluster = own.cluster, timeline = own.timeline, server_started = pg_postmaster_start_time(), restored_at = null;
  return true;
end
$$;
