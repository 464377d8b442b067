-- Whether events may be claimed and called under the lease.
create or replace function joinery.source_lease_is_valid(lease bigint)
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from joinery.source_leases l
    where l.id = source_lease_is_valid.lease and l.expires_at > clock_timestamp() and not l.draining
  );
end
$$;
