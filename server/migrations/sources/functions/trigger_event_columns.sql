-- The select list of claims: the columns of a segment `e` as they belong into claimed_trigger_event. `fetched` is the condition for
-- rows that the claim fetches.
create or replace function joinery.trigger_event_columns()
returns text
language sql immutable
as $$
  select $columns$
    case upper(e.op::text) when 'I' then 'INSERT' when 'U' then 'UPDATE' when 'D' then 'DELETE' else 'MANUAL' end as op,
    case when size.bytes <= $1 then e.old::text end as old,
    case when size.bytes <= $1 then e.new::text end as new,
    size.bytes > $1 as large,
    size.bytes::integer as bytes,
    e.op in ('I', 'U', 'D') as outdated,
    e.session,
    e.trace,
    e.ordering_key,
    to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as created_at,
    (extract(epoch from e.created_at) * 1000)::double precision as created_ms
  $columns$
$$;
