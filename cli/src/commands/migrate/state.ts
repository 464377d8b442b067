/**
 * The applied migrations of a database, recorded in the database at the end of each migration's transaction. One row is
 * a lock against concurrent runs of the same migration.
 */

import type { CommandArguments } from '@joinery/metadata/api/arguments';
import { createMigrationTable, hasMigrationTable, migrationTable } from '@joinery/metadata/sql/migration-record';
import { CliError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import { ServiceError } from '../../client/connection.ts';
import type { Migration } from './files.ts';

export interface Applied {
  readonly version: string;
  readonly name: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** False while only parts of it are applied. */
  readonly done: boolean;
  /** Number of applied transactions or statements of a migration with several; otherwise 0. */
  readonly parts: number;
  /** Digest of the SQL of these parts. */
  readonly digest: string | undefined;
  /** Whether an incomplete migration runs without a transaction, now or until its process ended. */
  readonly running: boolean;
}

/** Progress of a migration with several parts. */
export type Progress = Pick<Applied, 'done' | 'parts' | 'digest' | 'running'>;

/** Part of a bulk on `/v2/query`. */
export interface SqlCommand {
  readonly type: 'run_sql';
  readonly args: CommandArguments['run_sql'];
}

const table = migrationTable;
/** Message of the guard's error where another process applied or started the migration. */
const taken = 'by another applier';
/** Part of the message of the guard's error where another process has applied a part of the migration meanwhile. */
const underWay = 'is under way: another applier runs it';

/** Returns the rows of a `run_sql` without the column names. Throws the errors of `command`. */
export async function readRows(
  connection: Connection,
  source: string,
  sql: string,
): Promise<readonly (readonly string[])[]> {
  const args = { sql, source, read_only: true };
  const response = await connection.command('run_sql', args, { api: '/v2/query' });
  return (response.result ?? []).slice(1);
}

/** Returns the applied migrations in order. */
export async function readApplied(connection: Connection, source: string): Promise<readonly Applied[]> {
  const [there] = await readRows(connection, source, `select to_regclass('${table}') is not null`);
  if (there?.[0] !== 't') return [];
  // Reads through JSON because a table of an older version lacks the columns for parts.
  const part = (member: string, missing: string) => `coalesce(to_jsonb(one)->>'${member}', '${missing}')`;
  const columns = `version, name, to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), done,
    ${part('parts', '0')}, ${part('digest', '')}, ${part('running', 'true')}`;
  const all = `select ${columns} from ${table} as one where version > 0 order by version`;
  return (await readRows(connection, source, all)).map(
    ([version = '', name = '', at = '', done, parts, digest, running]) => ({
      version,
      name,
      at,
      done: done === 't',
      parts: Number(parts),
      digest: digest === '' ? undefined : digest,
      running: running === 'true',
    }),
  );
}

/** Creates the table, or adds the columns that a table of an older version lacks. */
export async function prepareState(connection: Connection, source: string): Promise<void> {
  const [there] = await readRows(connection, source, hasMigrationTable);
  if (there?.[0] === 't') return;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connection.command('run_sql', stateArguments(source, createMigrationTable), { api: '/v2/query' });
      return;
    } catch (error) {
      // Concurrent "create if not exists" can fail with a unique violation in the catalog.
      if (!(error instanceof ServiceError) || attempt >= 5 || sqlStateOf(error) === '42501') throw error;
    }
  }
}

/**
 * Returns the first command of a migration's transaction: it waits for other processes, then fails, as `isTaken` detects,
 * unless the recorded progress still equals `before`.
 */
export function guardApply(source: string, { version }: Migration, before: Applied | undefined): SqlCommand {
  const own = `select from ${table} where version = ${version}`;
  const same =
    before === undefined
      ? `not exists (${own})`
      : `exists (${own} and not done and parts = ${before.parts} and running = ${before.running})`;
  return guarded(
    source,
    `if exists (${own} and done) then
       raise exception 'migration ${version} was applied ${taken}';
     elsif not ${same} then
       raise exception 'migration ${version} ${underWay}; wait for it, then apply again';
     end if;`,
  );
}

/** Returns the last command of the transaction of a migration or of a part. */
export function noteApplied(source: string, { version, name }: Migration, progress?: Progress): SqlCommand {
  const { done, parts, digest, running } = progress ?? { done: true, parts: 0, digest: undefined, running: false };
  const sql = `insert into ${table} (version, name, done, parts, digest, running)
    values (${version}, ${literal(name)}, ${done}, ${parts}, ${digest === undefined ? 'null' : literal(digest)}, ${running})
    on conflict (version) do update
    set (applied_at, done, parts, digest, running) =
      (clock_timestamp(), excluded.done, excluded.parts, excluded.digest, excluded.running)`;
  return { type: 'run_sql', args: stateArguments(source, sql) };
}

/** Returns the first command of a down migration's transaction. */
export function guardRollback(source: string, { version }: Pick<Migration, 'version'>): SqlCommand {
  return guarded(
    source,
    `if not exists (select from ${table} where version = ${version}) then
       raise exception 'migration ${version} was rolled back ${taken}';
     end if;`,
  );
}

/** Returns the last command of a down migration's transaction, also where no part took effect. */
export function forget(source: string, { version }: Pick<Migration, 'version'>): SqlCommand {
  return { type: 'run_sql', args: stateArguments(source, `delete from ${table} where version = ${version}`) };
}

/** Replaces the records of several migrations by the squashed one. */
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
  return error instanceof ServiceError && error.reason.endsWith(taken);
}

/** Whether another process runs a migration with several parts, which it may complete. */
export function isUnderWay(error: unknown): boolean {
  return (
    error instanceof CliError &&
    error.details.some(({ code, message }) => code === 'busy' || message.includes(underWay))
  );
}

/** Returns the SQLSTATE of a PostgreSQL error. */
export function sqlStateOf({ internal }: ServiceError): string | undefined {
  const { error } = (internal ?? {}) as { readonly error?: { readonly status_code?: unknown } };
  return typeof error?.status_code === 'string' ? error.status_code : undefined;
}

function guarded(source: string, body: string): SqlCommand {
  const sql = `do $guard$ begin perform from ${table} where version = 0 for update; ${body} end $guard$`;
  return { type: 'run_sql', args: stateArguments(source, sql) };
}

/** Arguments of `run_sql` for the schema `joinery`, which the metadata never refers to. */
function stateArguments(source: string, sql: string): SqlCommand['args'] {
  return { source, sql, check_metadata_consistency: false };
}

/** Quotes a name from a file as an SQL literal. Throws CliError for text that would end the enclosing block. */
function literal(text: string): string {
  if (text.includes('$guard$') || text.includes('\0'))
    throw new CliError(`"${text}" cannot be the name of a migration`);
  return `'${text.replaceAll("'", "''")}'`;
}
