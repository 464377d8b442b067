-- The calls of the handlers of asynchronous actions, as they were sent, and an index for the list of the runs of an action.
alter table joinery.action_log add column calls jsonb not null default '[]';
create index action_log_created on joinery.action_log (action_name, created_at, id);
