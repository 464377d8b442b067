-- Creates the table of the packed statements of a segment, where the trigger has such. A row is a statement, or a slice of a long one:
-- each column is an array with the values of its rows.
create or replace function joinery.add_packed_statements(number integer, segment integer)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  known joinery.triggers;
  events text := format('trigger_%s_s%s', add_packed_statements.number, add_packed_statements.segment);
  packed text := events || '_packed';
  one name;
begin
  select * into strict known from joinery.triggers t where t.number = add_packed_statements.number;
  if known.unpack is null then
    return;
  end if;
  execute format(
    'create table joinery.%I (
      -- Of the sequence of the events, so that claims find new packed statements as they find new events.
      seq bigint primary key default nextval(%L),
      op "char" not null,
      rows integer not null,
      -- The number of rows of which events were made.
      done integer not null default 0,
      session text,
      trace text,
      -- See printing_settings.
      settings text[] not null,
      created_at timestamptz not null default now(),
      %s
    )', packed, known.sequence, known.packed);
  -- Compression would take longer than the rest of the capture.
  for one in
    select a.attname from pg_attribute a
    where a.attrelid = format('joinery.%I', packed)::regclass and a.attname ~ '^[on][0-9]+$'
  loop
    execute format('alter table joinery.%I alter column %I set storage external', packed, one);
  end loop;
  update joinery.trigger_segments s
  set unpack = array_to_string(known.unpack, 'joinery.' || quote_ident(events))
  where s.number = known.number and s.segment = add_packed_statements.segment;
end
$$;
