-- Runs at the commit of a transaction, or at once with immediate constraints, for the first event of each statement of an ordered
-- trigger, of which the arguments are the number and the segment. Locks the keys of the events of the statement until the transaction
-- has become visible, then gives the statement a stamp, so that the stamps of a key are in commit order.
--
-- Each statement is stamped from its own events, whatever the setting `joinery.stamping` has. The setting makes the first run lock the
-- keys of the whole transaction in the order of triggers and keys, so that no transaction waits for another in a circle. It reads
-- neither segments nor stamps for a statement with one event: such reads would make concurrent serializable transactions fail.
create or replace function joinery.stamp_trigger_events()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  noted constant text := coalesce(current_setting('joinery.stamping', true), '');
  stamped constant integer := tg_argv[0]::integer;
  last bigint := new.seq;
  mask bigint;
begin
  if new.stamping then
    mask := coalesce(1::bigint << ((hashtext(new.ordering_key)::bigint & 2147483647) % 62)::integer, 0);
  else
    select e.last_seq, e.mask into last, mask
    from joinery.trigger_statement_events(stamped, tg_argv[1]::integer, new.xid, new.seq) e;
  end if;
  if noted like '%:%' and noted <> stamped || ':' || lpad(to_hex(mask), 16, '0') || ';' then
    perform joinery.lock_noted_trigger_keys();
  end if;
  perform joinery.lock_trigger_keys(stamped, mask);
  insert into joinery.trigger_stamps (number, stamp, segment, first_seq, last_seq)
  values (stamped, nextval('joinery.trigger_stamp'), tg_argv[1]::integer, new.seq, last);
  return null;
end
$$;
