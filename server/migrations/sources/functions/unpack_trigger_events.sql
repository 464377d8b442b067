-- Makes events of at most `most` rows of packed statements of a trigger, the earliest first, and returns the number of rows. A rest
-- follows in the next call. The events are of this transaction: claims find them after its commit.
create or replace function joinery.unpack_trigger_events(number integer, most integer)
returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set timezone = 'UTC'
set datestyle = 'ISO'
set intervalstyle = 'postgres'
set bytea_output = 'hex'
set extra_float_digits = 1
set lc_monetary = 'C'
as $$
declare
  remaining integer := most;
  one record;
  statement record;
  last integer;
begin
  for one in
    select s.segment, s.unpack, format('joinery.trigger_%s_s%s_packed', s.number, s.segment) as packed
    from joinery.trigger_segments s
    where s.number = unpack_trigger_events.number and s.unpack is not null and s.sealed_before is null
    order by s.segment
  loop
    continue when pg_relation_size(one.packed::regclass) = 0;
    while remaining > 0 loop
      execute format(
        'select p.seq, p.rows, p.done, p.settings from %s p order by p.seq limit 1 for update skip locked', one.packed
      ) into statement;
      if statement.seq is null then
        -- Another transaction makes events of the rest, and may end without: the next claim looks again.
        perform nextval(format('joinery.trigger_%s_seq', unpack_trigger_events.number))
        where joinery.has_packed_statements(unpack_trigger_events.number, one.segment);
        exit;
      end if;
      perform set_config(s.name, s.setting, true)
      from unnest(
        array['TimeZone', 'DateStyle', 'IntervalStyle', 'bytea_output', 'extra_float_digits', 'lc_monetary'], statement.settings
      ) as s (name, setting);
      last := least(statement.rows, statement.done + remaining);
      begin
        execute one.unpack using statement.seq, statement.done + 1, last;
      exception when others then
        -- The claims of other triggers go on.
        raise warning 'the events of % are not complete: %', one.packed, sqlerrm;
        exit;
      end;
      remaining := remaining - (last - statement.done);
      if last = statement.rows then
        execute format('delete from %s p where p.seq = $1', one.packed) using statement.seq;
      else
        execute format('update %s p set done = $2 where p.seq = $1', one.packed) using statement.seq, last;
      end if;
    end loop;
  end loop;
  if remaining < most then
    perform pg_notify('joinery_triggers', number::text);
  end if;
  return most - remaining;
end
$$;
