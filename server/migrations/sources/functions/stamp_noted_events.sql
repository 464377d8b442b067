-- Locks the keys of the events that the transaction has noted until it has become visible, then gives the transaction a stamp, so
-- that the stamps of a key are in commit order. The setting `joinery.stamping` has the events:
-- {"<number>.<segment>": [<mask of keys>, <first seq>, <last seq>]}.
--
-- A key is one of 62 locks of its trigger. A transaction with many keys locks the whole trigger, so that the table of locks cannot
-- overflow. All transactions lock in the order of triggers and keys, so that none waits for another in a circle.
create or replace function joinery.stamp_noted_events()
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  stamping jsonb := current_setting('joinery.stamping')::jsonb;
  one record;
  slot integer;
begin
  for one in
    select split_part(s.key, '.', 1)::integer as number, bit_or((s.value ->> 0)::bigint) as mask
    from jsonb_each(stamping) s group by 1 order by 1
  loop
    if length(replace(one.mask::bit(64)::text, '0', '')) > 16 then
      perform pg_advisory_xact_lock(1785687922, -one.number);
    else
      perform pg_advisory_xact_lock_shared(1785687922, -one.number);
      for slot in 0..61 loop
        if one.mask & (1::bigint << slot) <> 0 then
          perform pg_advisory_xact_lock(1785687922, one.number * 64 + slot);
        end if;
      end loop;
    end if;
  end loop;
  insert into joinery.trigger_stamps (number, stamp, segment, first_seq, last_seq)
  select s.number, nextval('joinery.trigger_stamp'), s.segment, s.first_seq, s.last_seq
  from (
    select split_part(s.key, '.', 1)::integer as number, split_part(s.key, '.', 2)::integer as segment,
      (s.value ->> 1)::bigint as first_seq, (s.value ->> 2)::bigint as last_seq
    from jsonb_each(stamping) s
    order by 1, 3
  ) s;
  -- Triggers that run after this one at the commit may capture more events.
  perform set_config('joinery.stamping', '', true);
end
$$;
