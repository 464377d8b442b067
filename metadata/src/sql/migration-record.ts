/** The record of applied migrations in a source, which the command `joinery migrate` and the service write. */

/** The table. Its row 0 is the lock of those that change it. */
export const migrationTable = 'joinery.database_migrations';

/** Returns whether the table has all columns, as `t` or `f`. */
export const hasMigrationTable = `select exists (select from pg_attribute where attrelid = to_regclass('${migrationTable}') and attname = 'running')`;

/** Creates the table, or adds the columns that a table of an older version lacks. */
export const createMigrationTable = `
    do $$ begin
      if to_regnamespace('joinery') is null then create schema if not exists joinery; end if;
    end $$;
    create table if not exists ${migrationTable} (
      version numeric(19) primary key,
      name text not null,
      applied_at timestamptz not null default clock_timestamp(),
      done boolean not null default true
    );
    alter table ${migrationTable}
      add column if not exists parts integer not null default 0,
      add column if not exists digest text,
      add column if not exists running boolean not null default true;
    comment on table ${migrationTable} is 'Migrations of the project that were applied; the row 0 is their lock.';
    insert into ${migrationTable} (version, name) values (0, 'lock') on conflict do nothing`;
