-- Whether events and actions may be claimed and called under the lease.
create or replace function joinery.lease_is_valid(lease bigint)
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from joinery.event_leases l
    where l.id = lease_is_valid.lease and l.expires_at > clock_timestamp() and not l.draining
  );
end
$$;
