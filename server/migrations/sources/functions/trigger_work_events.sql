-- Events of trigger_work with their rows.
create or replace function joinery.trigger_work_events(
  number integer, segment integer, seqs bigint[], xids xid8[], inline integer
)
returns setof joinery.claimed_trigger_event
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
begin
  return query execute format(
    'select %1$s, e.seq, %2$s, null::bigint,
      case when claimed.xid = ''0'' then joinery.adopted_event_id(%1$s, e.seq) else %4$s end, e.op, e.old, e.new, e.large, e.outdated,
      e.session, e.trace, e.ordering_key, e.created_at, e.created_ms,
      (extract(epoch from w.due_at) * 1000)::double precision, w.tries,
      (extract(epoch from w.requeued_at) * 1000)::double precision, w.requeued_tries, e.bytes
    from unnest($2, $3) as claimed (seq, xid)
    cross join lateral (
      select e.seq, %3$s
      from joinery.trigger_%1$s_s%2$s e
      cross join lateral (select coalesce(octet_length(e.old::text), 0) + coalesce(octet_length(e.new::text), 0) as bytes) size
      where e.xid = claimed.xid and e.seq = claimed.seq
    ) e
    join joinery.trigger_work w on w.number = %1$s and w.seq = e.seq
    order by w.due_at, w.stamp, w.seq', number, segment, joinery.trigger_event_columns(),
    joinery.event_id_of('e.seq', number))
  using inline, seqs, xids;
end
$$;
