-- The partitions of the log of calls with their limits; without limits the partition for days that have no other.
create or replace function joinery.log_partitions()
returns table (name text, starts_at timestamptz, ends_at timestamptz)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set datestyle = 'ISO'
as $$
begin
  return query
  select c.relname::text,
    case when b.bound like '%(MINVALUE)%' then '-infinity' else substring(b.bound from 'FROM \(''([^'']+)')::timestamptz end,
    substring(b.bound from 'TO \(''([^'']+)')::timestamptz
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
  where i.inhparent = 'joinery.event_invocations'::regclass;
end
$$;
