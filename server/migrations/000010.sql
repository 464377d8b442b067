-- The state of the command line tool and the console of Hasura v2, which belongs to them. One row.
create table joinery.catalog_state (
  id smallint primary key default 1 check (id = 1),
  installation_id uuid not null default gen_random_uuid(),
  cli_state jsonb not null default '{}',
  console_state jsonb not null default '{}'
);
insert into joinery.catalog_state default values;
