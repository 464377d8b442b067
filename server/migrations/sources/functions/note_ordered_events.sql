-- Adds events to those that the transaction stamps at its commit.
create or replace function joinery.note_ordered_events(
  number integer, segment integer, mask bigint, first_seq bigint, last_seq bigint
)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  setting text := coalesce(current_setting('joinery.stamping', true), '');
  stamping jsonb := case when setting in ('', 'immediate') then '{}' else setting end;
  events text := number || '.' || segment;
  noted jsonb := stamping -> events;
begin
  perform set_config('joinery.stamping', jsonb_set(stamping, array[events], case
    when noted is null then jsonb_build_array(mask, first_seq, last_seq)
    else jsonb_build_array((noted ->> 0)::bigint | mask, noted -> 1, last_seq)
  end)::text, true);
  if setting = 'immediate' then
    perform joinery.stamp_noted_events();
  end if;
end
$$;
