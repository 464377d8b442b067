-- Alerts: conditions on the delivery of events, and the webhooks that are called when one starts and when it ends.
create table joinery.alerts (
  name text primary key,
  rule json not null,
  destination text,
  webhook text not null,
  headers json not null,
  enabled boolean not null,
  active_since timestamptz,
  value double precision,
  checked_at timestamptz
);
