-- The last event of the statement whose first event is given, and the mask of the keys of its events.
create or replace function joinery.trigger_statement_events(
  number integer, segment integer, xid xid8, first_seq bigint, out last_seq bigint, out mask bigint
)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
begin
  execute format(
    'select max(e.seq), coalesce(bit_or(1::bigint << ((hashtext(e.ordering_key)::bigint & 2147483647) %% 62)::integer), 0)
    from joinery.trigger_%1$s_s%2$s e
    where e.xid = $1 and e.seq >= $2 and e.seq < coalesce((
      select n.seq from joinery.trigger_%1$s_s%2$s n
      where n.xid = $1 and n.seq > $2 and n.stamping is not null order by n.seq limit 1
    ), 9223372036854775807)', number, segment)
  into last_seq, mask using xid, first_seq;
end
$$;
