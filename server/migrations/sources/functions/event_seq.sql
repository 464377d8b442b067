-- The trigger and the number of the event with this id. No row for an id that this source did not make.
create or replace function joinery.event_seq(id uuid, out number integer, out seq bigint)
returns setof record
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select part.number, part.seq
  from (select replace(event_seq.id::text, '-', '') as hex) h,
    lateral (
      select ('x' || lpad(substr(h.hex, 14, 3) || substr(h.hex, 18, 3), 8, '0'))::bit(32)::integer as number,
        ('x' || lpad(substr(h.hex, 21, 12), 16, '0'))::bit(64)::bigint as seq
    ) part
  where joinery.event_id(part.number, part.seq) = event_seq.id
  union all
  select a.number, a.seq from joinery.trigger_adopted_events a where a.id = event_seq.id
$$;
