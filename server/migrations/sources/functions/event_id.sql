-- The id of an event: a UUID of version 8 with a check sum of 48 bits, the number of the trigger (24 bits) and that of the event
-- (48 bits). event_seq reverses it.
create or replace function joinery.event_id(number integer, seq bigint)
returns uuid
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select (left(sum.text, 12) || '8' || left(number.hex, 3) || '8' || right(number.hex, 3) || lpad(to_hex(seq), 12, '0'))::uuid
  from joinery.source_identity i,
    lateral (select md5(i.salt || ':' || event_id.number || ':' || event_id.seq) as text) sum,
    lateral (select lpad(to_hex(event_id.number), 6, '0') as hex) number
$$;
