-- The audit log: commands of admins that changed something, or tried to.
create table joinery.audit_log (
  id bigint primary key generated always as identity,
  at timestamptz not null,
  author text not null,
  address text,
  request_id text not null,
  command text not null,
  arguments text not null,
  code text,
  error text,
  duration_ms integer not null
);

create index audit_log_at on joinery.audit_log (at);
