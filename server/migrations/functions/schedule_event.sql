-- Schedules an event. A valid event without other arguments than these is inserted by one statement without further calls; the others
-- are checked by schedule_checked_event. The body is parsed when the function is created, so that names do not depend on the search
-- path of the caller, and setting a search path for each call is not needed.
create or replace function joinery.schedule_event(
  webhook text, schedule_at timestamptz, payload json, headers jsonb default '[]', retry_conf jsonb default '{}',
  comment text default null, key text default null, ordering_key text default null, body text default null,
  signing jsonb default null, request_transform json default null
)
returns uuid
language sql volatile security definer
begin atomic
  with plain as (
    insert into joinery.scheduled_events (webhook, schedule_at, payload, comment)
    select schedule_event.webhook, schedule_event.schedule_at, schedule_event.payload, schedule_event.comment
    where schedule_event.webhook ~ '^https?://[^/?#\s]+[^\s]*$' and length(schedule_event.webhook) <= 8000
      and strpos(schedule_event.webhook, '{{') = 0
      and schedule_event.schedule_at >= '0001-01-01Z'::timestamptz
      and schedule_event.schedule_at < '10000-01-01Z'::timestamptz
      and octet_length(schedule_event.payload::text) <= 1048576
      and (schedule_event.comment is null or length(schedule_event.comment) <= 10000)
      and schedule_event.headers = '[]' and schedule_event.retry_conf = '{}'
      and schedule_event.key is null and schedule_event.ordering_key is null and schedule_event.body is null
      and schedule_event.signing is null and schedule_event.request_transform is null
    returning id
  )
  select coalesce((select plain.id from plain), joinery.schedule_checked_event(
    schedule_event.webhook, schedule_event.schedule_at, schedule_event.payload, schedule_event.headers,
    schedule_event.retry_conf, schedule_event.comment, schedule_event.key, schedule_event.ordering_key,
    schedule_event.body, schedule_event.signing, schedule_event.request_transform
  ));
end;

-- The same for a payload of type jsonb, and for one that is written as text. PostgreSQL replaces their calls by the call in their body,
-- because they have the rights of the caller and each argument occurs once.
create or replace function joinery.schedule_event(
  webhook text, schedule_at timestamptz, payload jsonb, headers jsonb default '[]', retry_conf jsonb default '{}',
  comment text default null, key text default null, ordering_key text default null, body text default null,
  signing jsonb default null, request_transform json default null
)
returns uuid
language sql volatile security invoker
begin atomic
  select joinery.schedule_event(
    schedule_event.webhook, schedule_event.schedule_at, schedule_event.payload::json, schedule_event.headers,
    schedule_event.retry_conf, schedule_event.comment, schedule_event.key, schedule_event.ordering_key,
    schedule_event.body, schedule_event.signing, schedule_event.request_transform
  );
end;

create or replace function joinery.schedule_event(
  webhook text, schedule_at timestamptz, payload text, headers jsonb default '[]', retry_conf jsonb default '{}',
  comment text default null, key text default null, ordering_key text default null, body text default null,
  signing jsonb default null, request_transform json default null
)
returns uuid
language sql volatile security invoker
begin atomic
  select joinery.schedule_event(
    schedule_event.webhook, schedule_event.schedule_at, schedule_event.payload::json, schedule_event.headers,
    schedule_event.retry_conf, schedule_event.comment, schedule_event.key, schedule_event.ordering_key,
    schedule_event.body, schedule_event.signing, schedule_event.request_transform
  );
end;
