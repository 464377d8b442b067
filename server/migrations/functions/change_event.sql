-- Changes a pending event; what is null stays as it is, and `no_comment` takes the comment away. Another time starts
-- the retries anew. Members of `new_delivery` that are null go back to the usual way. Returns false where there is no such event, or its call is under way (see cancel_events).
create or replace function joinery.change_event(
  event uuid, new_webhook text, new_time timestamptz, new_payload json, new_headers json, retries integer,
  interval_seconds integer, timeout integer, tolerance integer, new_comment text, no_comment boolean,
  new_policy json, new_delivery json
)
returns boolean
language plpgsql
as $$
declare
  due timestamptz;
begin
  update joinery.scheduled_events e set
    webhook = coalesce(new_webhook, e.webhook),
    schedule_at = coalesce(new_time, e.schedule_at),
    next_retry_at = case when new_time is null then e.next_retry_at end,
    tries = case when new_time is null then e.tries else 0 end,
    requeued_at = case when new_time is null then e.requeued_at end,
    requeued_tries = case when new_time is null then e.requeued_tries else 0 end,
    payload = coalesce(new_payload, e.payload),
    headers = coalesce(new_headers, e.headers),
    num_retries = coalesce(retries, e.num_retries),
    retry_interval_seconds = coalesce(interval_seconds, e.retry_interval_seconds),
    timeout_seconds = coalesce(timeout, e.timeout_seconds),
    tolerance_seconds = coalesce(tolerance, e.tolerance_seconds),
    retry_policy = case when retries is null then e.retry_policy else new_policy end,
    delivery = case when new_delivery is null then e.delivery else (
      select json_object_agg(m.key, m.value) from (
        select n.key, n.value from json_each(new_delivery) n where json_typeof(n.value) <> 'null'
        union all
        select o.key, o.value from json_each(e.delivery) o
        where not exists (select from json_each(new_delivery) n where n.key = o.key)
      ) m
    ) end,
    comment = case when no_comment then null else coalesce(new_comment, e.comment) end,
    -- The node that holds it asks before it calls, and finds that it is not its any more.
    lease = null
  where e.id = event and (coalesce(e.lease, 0) = 0 or e.due_at > joinery.event_now() + interval '250 ms')
  returning e.due_at into due;
  if due is null then
    return false;
  end if;
  if due <= joinery.event_now() + interval '5 seconds' then
    perform joinery.wake_event_nodes();
  end if;
  return true;
end
$$;
