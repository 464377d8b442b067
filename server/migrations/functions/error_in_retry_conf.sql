-- Returns the first error in a retry_conf, or null.
create or replace function joinery.error_in_retry_conf(retry_conf jsonb)
returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  member record;
  least_value integer;
begin
  if jsonb_typeof(retry_conf) <> 'object' then
    return 'retry_conf must be an object';
  end if;
  for member in select m.key, m.value from jsonb_each(retry_conf) as m loop
    if member.key = any (array['backoff', 'max_retry_interval_seconds', 'jitter', 'retry_delays_seconds',
      'final_client_errors']) then
      if member.value <> 'null' and not (case member.key
        when 'backoff' then member.value in ('"fixed"', '"exponential"')
        when 'final_client_errors' then jsonb_typeof(member.value) = 'boolean'
        when 'jitter' then case when jsonb_typeof(member.value) = 'number' then
          member.value::numeric between 0 and 1 else false end
        when 'max_retry_interval_seconds' then
          case when member.value::text ~ '^[0-9]{1,10}$' then member.value::numeric between 1 and 2147483647
            else false end
        else case when jsonb_typeof(member.value) = 'array' then
          jsonb_array_length(member.value) between 1 and 100 and not exists (
            select from jsonb_array_elements(member.value) as delay
            where delay::text !~ '^[0-9]{1,10}$' or delay::text::numeric > 2147483647
          ) else false end
      end) then
        return format('retry_conf.%s is not what create_scheduled_event takes', member.key);
      end if;
      continue;
    end if;
    if member.key <> all (array['num_retries', 'retry_interval_seconds', 'timeout_seconds', 'tolerance_seconds']) then
      return format('retry_conf.%s: there is no such argument', member.key);
    end if;
    if jsonb_typeof(member.value) <> 'number' or member.value::text !~ '^-?[0-9]+$' then
      return format('retry_conf.%s must be a whole number', member.key);
    end if;
    least_value := (member.key = 'timeout_seconds')::integer;
    if member.value::numeric not between least_value and 2147483647 then
      return format('retry_conf.%s must be %s to 2147483647', member.key, least_value);
    end if;
  end loop;
  return null;
end
$$;
