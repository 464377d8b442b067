-- Makes processed events pending, due now and with a new budget of retries. Id, key, log and number of tries do not change. Returns the ids
-- of the events.
create or replace function joinery.redeliver_events(ids uuid[])
returns setof uuid
language plpgsql
as $$
declare
  keys json;
begin
  -- The deletion of a processed event deletes its key.
  select json_agg(k) into keys from joinery.event_keys k where k.event_id = any (ids);
  return query
  with gone as (delete from joinery.processed_events p where p.id = any (ids) returning p.*)
  insert into joinery.scheduled_events as e (
    id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
    tolerance_seconds, comment, created_at, tries, next_retry_at, ordering_key, retry_policy, trigger_name,
    delivery, requeued_at, requeued_tries
  )
  select g.id, g.webhook, g.schedule_at, g.payload, g.headers, g.num_retries, g.retry_interval_seconds,
    g.timeout_seconds, g.tolerance_seconds, g.comment, g.created_at, g.tries, joinery.event_now(), g.ordering_key,
    g.retry_policy, g.trigger_name, g.delivery, joinery.event_now(), g.tries
  from gone g
  returning e.id;
  insert into joinery.event_keys select k.* from json_populate_recordset(null::joinery.event_keys, keys) k;
end
$$;
