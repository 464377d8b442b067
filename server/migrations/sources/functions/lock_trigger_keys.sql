-- Locks keys of a trigger until the transaction ends. A key is one of 62 locks. Many keys lock the whole trigger, so that the table of
-- locks cannot overflow.
create or replace function joinery.lock_trigger_keys(number integer, mask bigint)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  remaining bigint := mask;
  lowest bigint;
begin
  if length(replace(mask::bit(64)::text, '0', '')) > 16 then
    perform pg_advisory_xact_lock(1785687922, -number);
    return;
  end if;
  -- Of a trigger that the transaction has locked whole, the lock is granted at once.
  if current_setting('joinery.stamping', true) ~ ('\m' || number || '!') and pg_try_advisory_xact_lock(1785687922, -number) then
    return;
  end if;
  perform pg_advisory_xact_lock_shared(1785687922, -number);
  while remaining <> 0 loop
    lowest := remaining & -remaining;
    perform pg_advisory_xact_lock(1785687922, number * 64 + round(ln(lowest::double precision) / ln(2::double precision))::integer);
    remaining := remaining - lowest;
  end loop;
end
$$;
