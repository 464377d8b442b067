-- What remote schemas last said of themselves, for when they cannot be asked.

create table joinery.remote_introspections (
  name text primary key,
  -- Hash of the address and the headers that it was asked with.
  origin text not null,
  -- JSON; text, because it is compared as it is written.
  introspection text not null,
  read_at timestamptz not null default now()
);
