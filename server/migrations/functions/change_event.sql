-- Changes a pending event. Arguments that are null change nothing; `no_comment` removes the comment. A new time resets the retries. Members
-- of `new_delivery` that are null are removed. Returns false if there is no such event or it is being called: see cancel_events.
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
  -- The log derives the request of a call from the event: calls before the change get what they sent.
  if exists (select from joinery.scheduled_events e where e.id = event and e.tries > 0) then
    update joinery.event_invocations l
    set request = (l.request::jsonb || jsonb_build_object('former', jsonb_build_object(
      'scheduled_time', to_char(e.schedule_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), 'comment', e.comment,
      'payload', e.payload::text, 'headers', e.headers::text, 'bare', coalesce(e.delivery ->> 'body' = 'payload', false)
    )))::json
    from joinery.scheduled_events e
    where e.id = event and l.event_id = event and l.created_at >= least(e.created_at, e.schedule_at) - interval '1 day'
      and l.request -> 'sent' is not null and l.request -> 'former' is null;
  end if;
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
    -- The node that has claimed it confirms the claim before the call.
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
