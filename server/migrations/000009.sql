-- Leases that fence: nothing is claimed under a lease that has expired or that its node has replaced. The functions of claims
-- and outcomes are in the folder functions/.

-- A draining lease has been replaced by its node. It protects the calls that were in flight at that time until their
-- outcomes are written. Nothing is claimed under it.
alter table joinery.event_leases add column draining boolean not null default false;
