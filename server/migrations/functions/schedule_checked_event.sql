-- Schedules an event after complete checks of all arguments. Raises an exception with the first error.
create or replace function joinery.schedule_checked_event(
  webhook text, schedule_at timestamptz, payload json, headers jsonb, retry_conf jsonb, comment text, key text,
  ordering_key text, body text, signing jsonb, request_transform json
)
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  id uuid := gen_random_uuid();
  known uuid;
  conf jsonb := coalesce(schedule_checked_event.retry_conf, '{}');
  given_headers jsonb := coalesce(schedule_checked_event.headers, '[]');
  policy jsonb := nullif(
    jsonb_strip_nulls(conf) - 'num_retries' - 'retry_interval_seconds' - 'timeout_seconds' - 'tolerance_seconds', '{}'
  );
  delivery json := joinery.written_delivery(body, signing, request_transform);
begin
  perform joinery.reject(joinery.error_in_event(webhook, schedule_at, payload, comment, key, ordering_key));
  perform joinery.reject(joinery.error_in_headers(given_headers));
  perform joinery.reject(joinery.error_in_retry_conf(conf));
  perform joinery.reject(joinery.error_in_delivery(body, signing, request_transform));
  if key is null then
    insert into joinery.scheduled_events (
      id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
      tolerance_seconds, comment, ordering_key, retry_policy, delivery
    )
    values (
      id, schedule_checked_event.webhook, schedule_checked_event.schedule_at, schedule_checked_event.payload, given_headers::json,
      coalesce((conf ->> 'num_retries')::integer, 0), coalesce((conf ->> 'retry_interval_seconds')::integer, 10),
      coalesce((conf ->> 'timeout_seconds')::integer, 60), coalesce((conf ->> 'tolerance_seconds')::integer, 21600),
      schedule_checked_event.comment, schedule_checked_event.ordering_key, policy::json, delivery
    );
    return id;
  end if;
  select k.event_id into known from joinery.insert_keyed_events(
    array[id], array[webhook], array[schedule_at], array[payload::text], array[given_headers::text],
    array[coalesce((conf ->> 'num_retries')::integer, 0)],
    array[coalesce((conf ->> 'retry_interval_seconds')::integer, 10)],
    array[coalesce((conf ->> 'timeout_seconds')::integer, 60)],
    array[coalesce((conf ->> 'tolerance_seconds')::integer, 21600)], array[comment], array[key],
    array[ordering_key], array[policy::text], array[delivery::text]
  ) k;
  return coalesce(known, id);
end
$$;
