-- Reads the present log of calls, while outcomes are written.
alter table joinery.event_invocations validate constraint event_invocations_before;
