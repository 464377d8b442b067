-- The settings of the session on which the text of values depends, so that events of packed statements have the same JSON as others.
create or replace function joinery.printing_settings()
returns text[]
language sql stable
as $$
  select array[
    current_setting('TimeZone'), current_setting('DateStyle'), current_setting('IntervalStyle'), current_setting('bytea_output'),
    current_setting('extra_float_digits'), current_setting('lc_monetary')
  ]
$$;
