/** `joinery migrate create`: writes a migration that is empty, given, or dumped from the database of the service. */
import { CliError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import { printLine } from '../../print.ts';
import { readSql, requireMigrationName, writeMigration } from './files.ts';
import { send } from './parts.ts';
import { type MigrateFlags, openDatabase } from './run.ts';
import { guardApply, noteApplied, prepareState } from './state.ts';

export interface CreateFlags extends MigrateFlags {
  readonly upSql?: string;
  readonly downSql?: string;
  /** A file with the content of `up.sql`. */
  readonly sqlFromFile?: string;
  /** Dumps the schema of the database and records the migration as applied. */
  readonly fromServer?: boolean;
  /** With `fromServer`: the schemas to dump; `public` if absent. */
  readonly schema?: readonly string[];
}

export async function migrateCreate(name: string, given: CreateFlags): Promise<number> {
  const { project, connection, database } = await openDatabase(given);
  requireMigrationName(name);
  rejectTwoOrigins(given);
  const version = String(Date.now());
  const up = await upSqlOf(given, connection, database);
  const down = given.downSql ?? `-- How to undo it.\n`;
  const sql = { up: ended(up), down: ended(down) };
  const folder = await writeMigration(project.migrationsDirectory, database, { version, name }, sql);
  printLine(`Created ${folder} with up.sql and down.sql.`);
  if (given.fromServer !== true) return 0;
  const migration = { version, name, up: undefined, down: undefined, folder };
  await prepareState(connection, database);
  await send(connection, [guardApply(database, migration, undefined), noteApplied(database, migration)]);
  printLine(`Recorded ${version} as applied on ${database}, because the database has these objects.`);
  return 0;
}

function rejectTwoOrigins({ upSql, sqlFromFile, fromServer, schema }: CreateFlags): void {
  const named = [upSql && '--up-sql', sqlFromFile && '--sql-from-file', fromServer && '--from-server'].filter(Boolean);
  if (named.length > 1) throw new CliError(`${named.join(' and ')} exclude each other; give one of them`);
  if (schema !== undefined && fromServer !== true) throw new CliError('--schema needs --from-server');
}

async function upSqlOf(given: CreateFlags, connection: Connection, database: string): Promise<string> {
  if (given.fromServer === true) return dumpSchemas(connection, database, given.schema ?? ['public']);
  if (given.sqlFromFile !== undefined) return readSql(given.sqlFromFile);
  return given.upSql ?? `-- What this migration changes, as SQL. Each migration is one transaction.\n`;
}

/** Returns the SQL that creates the objects of the schemas. */
async function dumpSchemas(connection: Connection, source: string, schemas: readonly string[]): Promise<string> {
  const opts = ['-O', '-x', '--schema-only', ...schemas.flatMap((schema) => ['--schema', schema])];
  const request = { opts, clean_output: true, source };
  const { status, body } = await connection.post('/v1alpha1/pg_dump', request, { timeoutMs: 0 });
  if (status === 200 && typeof body === 'string') return body;
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { readonly error?: unknown };
  const reason = typeof error === 'string' ? error : `status ${status}`;
  throw new CliError(`${connection.endpoint} did not dump the schema of ${source}: ${reason}; nothing was created`);
}

function ended(sql: string): string {
  return sql.endsWith('\n') ? sql : `${sql}\n`;
}
