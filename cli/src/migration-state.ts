/**
 * Which migrations a database has, kept in the database itself, in the transaction of the migration. One row is the lock
 * that keeps two appliers from running the same one.
 */
import type { Connection } from './connection.ts';
import { RefusedError } from './connection.ts';
import type { Migration } from './migration-files.ts';
import { ProjectError } from './project-error.ts';

export interface Applied {
  readonly version: string;
  readonly name: string;
  /** As PostgreSQL writes it in UTC. */
  readonly at: string;
  /** False while one without a transaction is under way, and after its applier died. */
  readonly done: boolean;
}

/** Part of a bulk on `/v2/query`. */
export interface SqlCommand {
  readonly type: 'run_sql';
  readonly args: Readonly<Record<string, unknown>>;
}

const table = 'joinery.database_migrations';
/** Of the state's own error: what is asked for has been done or begun by another applier. */
const taken = 'by another applier';

/** Rows of a `run_sql`, without the row of the names. Throws as `command` does. */
export async function readRows(
  connection: Connection,
  source: string,
  sql: string,
): Promise<readonly (readonly string[])[]> {
  const args = { sql, source, read_only: true };
  const answer = (await connection.command('run_sql', args, { api: '/v2/query' })) as {
    readonly result?: readonly (readonly string[])[] | null;
  };
  return (answer.result ?? []).slice(1);
}

/** In order; empty where none was ever applied. */
export async function readApplied(connection: Connection, source: string): Promise<readonly Applied[]> {
  const [there] = await readRows(connection, source, `select to_regclass('${table}') is not null`);
  if (there?.[0] !== 't') return [];
  const columns = `version, name, to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), done`;
  const rows = await readRows(connection, source, `select ${columns} from ${table} where version > 0 order by version`);
  return rows.map(([version = '', name = '', at = '', done]) => ({ version, name, at, done: done === 't' }));
}

/** Makes the table; nothing where it is there. */
export async function prepareState(connection: Connection, source: string): Promise<void> {
  const [there] = await readRows(connection, source, `select to_regclass('${table}') is not null`);
  if (there?.[0] === 't') return;
  const sql = `
    do $$ begin
      if to_regnamespace('joinery') is null then create schema if not exists joinery; end if;
    end $$;
    create table if not exists ${table} (
      version numeric(19) primary key,
      name text not null,
      applied_at timestamptz not null default clock_timestamp(),
      done boolean not null default true
    );
    comment on table ${table} is 'Migrations of the project that were applied; the row 0 is their lock.';
    insert into ${table} (version, name) values (0, 'lock') on conflict do nothing`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connection.command('run_sql', stateArguments(source, sql), { api: '/v2/query' });
      return;
    } catch (error) {
      // Two that make the same at once collide in the catalog, whatever "if not exists" says.
      if (!(error instanceof RefusedError) || attempt >= 5 || sqlStateOf(error) === '42501') throw error;
    }
  }
}

/** First in the transaction of a migration: waits for other appliers, then notes it, or fails as `isTaken` knows. */
export function noteApplied(source: string, { version, name }: Migration, done = true): SqlCommand {
  return guarded(
    source,
    `if exists (select from ${table} where version = ${version}) then
       raise exception 'migration ${version} was applied ${taken}';
     end if;
     insert into ${table} (version, name, done) values (${version}, ${literal(name)}, ${done});`,
  );
}

/** First in the transaction of a migration that goes down. */
export function noteRolledBack(source: string, { version }: Pick<Migration, 'version'>): SqlCommand {
  return guarded(
    source,
    `delete from ${table} where version = ${version};
     if not found then
       raise exception 'migration ${version} was rolled back ${taken}';
     end if;`,
  );
}

/** What a migration without a transaction has come to. */
export function noteEnd(source: string, { version }: Pick<Migration, 'version'>, end: 'done' | 'gone'): SqlCommand {
  const sql =
    end === 'done'
      ? `update ${table} set done = true, applied_at = clock_timestamp() where version = ${version}`
      : `delete from ${table} where version = ${version}`;
  return { type: 'run_sql', args: stateArguments(source, sql) };
}

/** In place of several, one that has been made of them. */
export function noteSquashed(
  source: string,
  from: readonly string[],
  { version, name }: Pick<Migration, 'version' | 'name'>,
): SqlCommand {
  return guarded(
    source,
    `delete from ${table} where version in (${from.join(', ')});
     insert into ${table} (version, name) values (${version}, ${literal(name)});`,
  );
}

export function isTaken(error: unknown): boolean {
  return error instanceof RefusedError && error.reason.endsWith(taken);
}

/** SQLSTATE of what PostgreSQL refused. */
export function sqlStateOf({ internal }: RefusedError): string | undefined {
  const { error } = (internal ?? {}) as { readonly error?: { readonly status_code?: unknown } };
  return typeof error?.status_code === 'string' ? error.status_code : undefined;
}

function guarded(source: string, body: string): SqlCommand {
  const sql = `do $guard$ begin perform from ${table} where version = 0 for update; ${body} end $guard$`;
  return { type: 'run_sql', args: stateArguments(source, sql) };
}

/** Nothing that the metadata speaks of is in the schema `joinery`. */
function stateArguments(source: string, sql: string): SqlCommand['args'] {
  return { source, sql, check_metadata_consistency: false };
}

/** Names come from files: a quote is doubled, and what would end the block that it is in is refused. */
function literal(text: string): string {
  if (text.includes('$guard$') || text.includes('\0'))
    throw new ProjectError(`"${text}" cannot be the name of a migration`);
  return `'${text.replaceAll("'", "''")}'`;
}
