-- Events whose target is an operation or a function in place of a webhook: `delivery` has the member `target`, and `webhook` the name
-- of the destination. Nodes of earlier versions do not claim them. The functions are in the folder functions/.

-- What was sent, where it does not follow from the event.
alter table joinery.event_invocations add column request json;
