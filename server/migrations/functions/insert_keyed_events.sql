-- Inserts one event for each element of the arrays, all or none. Returns the events that exist under their key, with the place of the
-- element. Raises JY001 with the place as detail if the event under a key was created with other arguments. A key must not occur twice.
create or replace function joinery.insert_keyed_events(
  ids uuid[], webhooks text[], times timestamptz[], payloads text[], all_headers text[], retries integer[],
  intervals integer[], timeouts integer[], tolerances integer[], comments text[], keys text[],
  ordering_keys text[], policies text[], deliveries text[]
)
returns table (place integer, event_id uuid)
language plpgsql
as $$
declare
  found record;
begin
  for found in
    with given as materialized (
      select g.*, encode(sha256(convert_to(jsonb_build_array(
        g.webhook, extract(epoch from g.schedule_at), coalesce(joinery.event_payload(g.payload::json)::text, g.payload),
        g.headers::jsonb, g.num_retries, g.retry_interval_seconds, g.timeout_seconds, g.tolerance_seconds, g.comment,
        g.ordering_key, g.policy::jsonb, g.delivery::jsonb
      )::text, 'UTF8')), 'hex') as digest
      from unnest(
        ids, webhooks, times, payloads, all_headers, retries, intervals, timeouts, tolerances, comments, keys,
        ordering_keys, policies, deliveries
      ) with ordinality as g (
        id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
        tolerance_seconds, comment, key, ordering_key, policy, delivery, place
      )
    ),
    claimed as (
      -- In order, so that two transactions with the same keys do not deadlock.
      insert into joinery.event_keys as k (key, event_id, digest)
      select g.key, g.id, g.digest from given g where g.key is not null order by g.key
      -- Changes nothing, but waits for a transaction that inserts the key and returns the row.
      on conflict on constraint event_keys_pkey do update set key = excluded.key
      returning k.key, k.event_id, k.digest
    ),
    inserted as (
      insert into joinery.scheduled_events (
        id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
        tolerance_seconds, comment, ordering_key, retry_policy, delivery
      )
      select g.id, g.webhook, g.schedule_at, g.payload::json, g.headers::json, g.num_retries,
        g.retry_interval_seconds, g.timeout_seconds, g.tolerance_seconds, g.comment, g.ordering_key,
        g.policy::json, g.delivery::json
      from given g left join claimed c on c.key = g.key
      where g.key is null or c.event_id = g.id
    )
    select g.place, c.event_id, c.digest = g.digest as same from given g join claimed c on c.key = g.key
    where c.event_id <> g.id
    order by g.place
  loop
    if not found.same then
      raise exception 'the key is taken by event %, which was created with something else', found.event_id
        using errcode = 'JY001', detail = found.place::text;
    end if;
    place := found.place;
    event_id := found.event_id;
    return next;
  end loop;
end
$$;
