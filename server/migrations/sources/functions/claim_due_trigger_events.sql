-- Claims free events in trigger_work that are due before `soon`, the earliest first.
create or replace function joinery.claim_due_trigger_events(
  holder bigint, number integer, soon timestamptz, most integer, inline integer
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
declare
  one record;
begin
  for one in
    with due as materialized (
      select w.seq from joinery.trigger_work w
      where w.number = claim_due_trigger_events.number and w.lease is null and w.due_at <= soon
      order by w.due_at
      limit most
      for update of w skip locked
    ), claimed as (
      update joinery.trigger_work w set lease = holder from due
      where w.number = claim_due_trigger_events.number and w.seq = due.seq
      returning w.segment, w.seq, w.xid
    )
    select c.segment, array_agg(c.seq) as seqs, array_agg(c.xid) as xids from claimed c group by c.segment
  loop
    return query select * from joinery.trigger_work_events(number, one.segment, one.seqs, one.xids, inline);
  end loop;
end
$$;
