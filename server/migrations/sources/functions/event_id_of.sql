-- SQL of the id of an event, as event_id returns it, by the expression of its number. Claims include it in their statements, because
-- a call of event_id for each event takes longer than the rest of the claim of the event.
create or replace function joinery.event_id_of(seq text, number integer)
returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select format(
    '(left(md5(%L || %s), 12) || %L || lpad(to_hex(%s), 12, ''0''))::uuid',
    i.salt || ':' || event_id_of.number || ':', event_id_of.seq,
    '8' || left(hex.text, 3) || '8' || right(hex.text, 3), event_id_of.seq
  )
  from joinery.source_identity i, lateral (select lpad(to_hex(event_id_of.number), 6, '0') as text) hex
$$;
