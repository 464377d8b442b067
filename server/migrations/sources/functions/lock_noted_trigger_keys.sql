-- Locks the keys that the transaction has noted, in the order of triggers and keys. The setting then has the triggers that are locked
-- whole. Triggers that run later at the commit may note more events.
create or replace function joinery.lock_noted_trigger_keys()
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  whole text := '';
  one record;
begin
  for one in
    select n.item[1]::integer as number, bit_or(('x' || n.item[2])::bit(64)::bigint) & 4611686018427387903 as mask
    from regexp_matches(current_setting('joinery.stamping'), '\m(\d{1,8}):([0-9a-f]{16});', 'g') n (item)
    where n.item[1]::integer between 1 and 16777215
    group by 1 order by 1
  loop
    perform joinery.lock_trigger_keys(one.number, one.mask);
    if length(replace(one.mask::bit(64)::text, '0', '')) > 16 then
      whole := whole || one.number || '!;';
    end if;
  end loop;
  perform set_config('joinery.stamping', whole, true);
end
$$;
