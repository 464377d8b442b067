-- Returns the first error in the other arguments of an event, or null. Variables are not known here: a webhook that begins with a
-- template is not validated further.
create or replace function joinery.error_in_event(webhook text, schedule_at timestamptz, payload json, comment text, key text, ordering_key text)
returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  filled text := regexp_replace(webhook, '\{\{\s*[^{}\s]+\s*\}\}', 'value', 'g');
begin
  return case
    when webhook is null then 'webhook is required'
    when length(webhook) > 8000 then 'webhook must have at most 8000 characters'
    when filled !~* '^https?://[^/?#\s]+[^\s]*$' and webhook !~ '^\{\{\s*[^{}\s]+\s*\}\}'
      then 'webhook must be an http or https URL'
    when strpos(filled, '{{') > 0
      then 'webhook contains "{{" that does not begin a template such as "{{NAME}}"'
    when schedule_at is null then 'schedule_at is required'
    when not isfinite(schedule_at) or schedule_at < '0001-01-01Z' or schedule_at >= '10000-01-01Z'
      then 'schedule_at must lie in the years 0001 to 9999'
    when payload is null then 'payload is required; the JSON value null is a payload too'
    when octet_length(payload::text) > 1048576 then format(
      'the payload has %s bytes, the limit is 1048576; send a reference to the data instead',
      octet_length(payload::text))
    when length(comment) > 10000 then 'comment must have at most 10000 characters'
    when length(key) not between 1 and 255 then 'key must have 1 to 255 characters'
    when length(ordering_key) not between 1 and 255 then 'ordering_key must have 1 to 255 characters'
  end;
end
$$;
