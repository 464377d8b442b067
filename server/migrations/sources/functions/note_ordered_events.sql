-- Notes the keys of events that the transaction locks at its commit, as a mask of the 62 locks of their trigger, in the setting
-- `joinery.stamping`: "<number>:<mask in hexadecimal digits>;" for each trigger, and "<number>!;" where all keys are locked.
--
-- Any client can set or erase the setting. It only makes the transaction lock the keys of all its triggers in one order: what is
-- delivered depends on the events of the transaction alone, see stamp_trigger_events.
create or replace function joinery.note_ordered_events(number integer, mask bigint)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  noted text := coalesce(current_setting('joinery.stamping', true), '');
  earlier text;
begin
  if noted !~ '^(\d{1,8}(:[0-9a-f]{16}|!);)*$' then
    noted := '';
  end if;
  earlier := substring(noted from '\m' || number || ':([0-9a-f]{16});');
  if earlier is null then
    noted := noted || number || ':' || lpad(to_hex(mask), 16, '0') || ';';
  else
    noted := regexp_replace(
      noted, '\m' || number || ':[0-9a-f]{16};',
      number || ':' || lpad(to_hex(mask | ('x' || earlier)::bit(64)::bigint), 16, '0') || ';'
    );
  end if;
  perform set_config('joinery.stamping', noted, true);
end
$$;
