/**
 * Migrates the schema `joinery` to the version of this release: numbered migrations in order, then the functions whose
 * files have changed. One node migrates at a time.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../client/pool.ts';
import type { Query } from '../client/statement-run.ts';
import { isPostgresError } from '../sql/errors.ts';
import { queryRows, runStatement } from '../sql/rows.ts';
import { ident, literal, type Sql, sql, value } from '../sql/sql.ts';

export interface NumberedMigration {
  /** From 1, without gaps. */
  readonly version: number;
  readonly sql: string;
}

/** The definition of one function of the schema with all its overloads, as `create or replace` statements. */
export interface FunctionMigration {
  /** The name of the function. */
  readonly name: string;
  readonly sql: string;
}

export interface Migrations {
  readonly numbered: readonly NumberedMigration[];
  readonly functions: readonly FunctionMigration[];
}

export interface MigrationResult {
  /** The version of the schema. */
  readonly version: number;
  /** The numbered migrations that this call applied, in order. */
  readonly applied: readonly number[];
  /** The names of the functions that this call created or replaced. */
  readonly functions: readonly string[];
}

/** The tables of the schema `joinery` that record what was applied. */
export interface MigrationTables {
  readonly numbered: string;
  readonly functions: string;
  /** Whether only the owner may execute the functions; by default all roles with the privilege `usage` on the schema may. */
  readonly isPrivate?: boolean;
}

const storeTables: MigrationTables = { numbered: 'migrations', functions: 'function_migrations' };

/** Attempts to create the schema while other nodes create it at the same time. */
const bootstrapAttempts = 20;

/**
 * Applies the missing migrations. Each numbered migration has a transaction of its own; the functions share one. Nodes
 * that start at the same time wait for each other. Throws `invalid-configuration` when the database was migrated by a
 * newer release, and the error of PostgreSQL when a migration fails; its transaction is rolled back then.
 */
export async function migrate(
  database: Database,
  migrations = readMigrations(),
  tables = storeTables,
): Promise<MigrationResult> {
  const { numbered, functions } = migrations;
  const applied: number[] = [];
  const last = numbered.at(-1)?.version ?? 0;
  if (!(await tableExists(database.query, tables.numbered))) await bootstrap(database, tables);
  let version = await readVersion(database.query, tables);
  while (version < last) {
    version = await database.transaction(async (query) => {
      const found = await lockVersion(query, tables);
      const next = numbered.find((migration) => migration.version === found + 1);
      if (next === undefined) return found;
      await runScript(query, next.sql);
      await runStatement(query, sql`insert into ${table(tables.numbered)} (version) values (${value(next.version)})`);
      // The migration may have dropped or replaced functions whose files have not changed.
      if (await tableExists(query, tables.functions)) {
        await runStatement(query, sql`delete from ${table(tables.functions)}`);
      }
      applied.push(next.version);
      return next.version;
    });
  }
  if (version > last) throw newerRelease(version, last);
  return { version, applied, functions: await replaceFunctions(database, functions, last, tables) };
}

/** Replaces the functions whose files have changed since they were applied. Returns their names. */
async function replaceFunctions(
  database: Database,
  functions: readonly FunctionMigration[],
  version: number,
  tables: MigrationTables,
): Promise<readonly string[]> {
  if (functions.length === 0 || (await changedFunctions(database.query, functions, tables)).length === 0) return [];
  return database.transaction(async (query) => {
    const found = await lockVersion(query, tables);
    if (found > version) throw newerRelease(found, version);
    await runStatement(
      query,
      sql`create table if not exists ${table(tables.functions)} (
        name text primary key,
        hash text not null,
        applied_at timestamptz not null default now()
      )`,
    );
    const changed = await changedFunctions(query, functions, tables);
    // A function may call one whose file comes later.
    await runStatement(query, sql`set local check_function_bodies = off`);
    for (const { name, sql: script } of changed) {
      await runScript(query, script);
      if (tables.isPrivate === true) await revokeExecution(query, name);
      await runStatement(
        query,
        sql`insert into ${table(tables.functions)} (name, hash) values (${value(name)}, ${value(hashOf(script))})
          on conflict (name) do update set hash = excluded.hash, applied_at = now()`,
      );
    }
    return changed.map(({ name }) => name);
  });
}

/** PostgreSQL lets all roles execute a function when it is created. */
async function revokeExecution(query: Query, name: string): Promise<void> {
  const routines = await queryRows(
    query,
    sql`select p.oid::regprocedure as routine from pg_catalog.pg_proc p
      where p.pronamespace = 'joinery'::regnamespace and p.proname = ${value(name)}`,
    ['routine'],
  );
  for (const { routine } of routines) await runScript(query, `revoke all on routine ${routine ?? ''} from public`);
}

async function changedFunctions(
  query: Query,
  functions: readonly FunctionMigration[],
  tables: MigrationTables,
): Promise<readonly FunctionMigration[]> {
  if (!(await tableExists(query, tables.functions))) return functions;
  const rows = await queryRows(query, sql`select name, hash from ${table(tables.functions)}`, ['name', 'hash']);
  const hashes = new Map(rows.map(({ name, hash }) => [name, hash]));
  return functions.filter((one) => hashes.get(one.name) !== hashOf(one.sql));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Runs statements that may take as long as they need. */
async function runScript(query: Query, text: string): Promise<void> {
  await runStatement(query, sql`set local statement_timeout = 0`);
  await query({ text, values: [] }, { unlimited: true });
}

/** The migrations of the folder: `<number>.sql`, and `functions/<name>.sql`. */
export function readMigrations(folder = new URL('../../../migrations/', import.meta.url)): Migrations {
  const numbered = sqlFiles(folder).map(({ name, sql }, index) => {
    const version = Number(/^\d{6}$/.exec(name)?.[0]);
    if (version !== index + 1) {
      throw new Error(`migration files are numbered 000001.sql and up, without gaps: ${name}.sql`);
    }
    return { version, sql };
  });
  return { numbered, functions: sqlFiles(new URL('functions/', folder)) };
}

/** The files in alphabetical order, with their names without `.sql`. */
function sqlFiles(folder: URL): { name: string; sql: string }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.slice(0, -'.sql'.length), sql: readFileSync(new URL(file, folder), 'utf8') }));
}

function table(name: string): Sql {
  return ident('joinery', name);
}

async function tableExists(query: Query, name: string): Promise<boolean> {
  const [row] = await queryRows(query, sql`select to_regclass(${literal(`joinery.${name}`)}) is not null as found`, [
    'found',
  ]);
  return row?.found === 't';
}

async function readVersion(query: Query, { numbered }: MigrationTables): Promise<number> {
  const [row] = await queryRows(query, sql`select max(version) as version from ${table(numbered)}`, ['version']);
  return Number(row?.version ?? 0);
}

/**
 * Locks the schema against other nodes until the end of the transaction and returns its version. The lock is a row: not
 * all databases that speak PostgreSQL's protocol have advisory locks or table locks.
 */
async function lockVersion(query: Query, tables: MigrationTables): Promise<number> {
  await runStatement(query, sql`select version from ${table(tables.numbered)} where version = 0 for update`);
  return readVersion(query, tables);
}

/** Creates the schema. Retries because `if not exists` fails when two sessions create the same object at once. */
async function bootstrap(database: Database, tables: MigrationTables): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await database.transaction((query) => createTable(query, tables));
      return;
    } catch (error) {
      if (attempt >= bootstrapAttempts || !isCollision(error)) throw error;
      await sleep(20 * attempt);
    }
  }
}

async function createTable(query: Query, { numbered }: MigrationTables): Promise<void> {
  const [row] = await queryRows(query, sql`select to_regnamespace('joinery') is null as missing`, ['missing']);
  // `create schema if not exists` needs the privilege to create schemas even where the schema exists.
  if (row?.missing === 't') await runStatement(query, sql`create schema if not exists joinery`);
  await runStatement(
    query,
    sql`create table if not exists ${table(numbered)} (
      version integer primary key,
      applied_at timestamptz not null default now()
    )`,
  );
  await runStatement(query, sql`insert into ${table(numbered)} (version) values (0) on conflict do nothing`);
}

/** Unique violation in the catalog, duplicate schema or table, tuple concurrently updated, serialization failure. */
function isCollision(error: unknown): boolean {
  return isPostgresError(error) && ['23505', '42P06', '42P07', 'XX000', '40001', '40P01'].includes(error.code);
}

function newerRelease(version: number, known: number): ServiceError {
  return new ServiceError(
    'invalid-configuration',
    `the schema joinery of this database is at version ${version}, and this release knows versions up to ${known}; start the newer release that made it, or use another database (JOINERY_METADATA_DATABASE_URL)`,
  );
}
