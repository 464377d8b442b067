-- The home of the service's own tables, and the metadata.

-- One row: the metadata as it was last written. Nodes replace it by compare-and-swap on resource_version.
create table joinery.metadata (
  id smallint primary key check (id = 1),
  resource_version bigint not null,
  -- json, not jsonb: the order of keys is kept.
  metadata json not null,
  updated_at timestamptz not null default now()
);
