/** Brings the schema `joinery` to the version this release knows: numbered files, forward only, one node at a time. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../client/pool.ts';
import type { Query } from '../client/statement-run.ts';
import { isPostgresError } from '../sql/errors.ts';

export interface MigrationFile {
  /** From 1, without gaps. */
  readonly version: number;
  readonly sql: string;
}

export interface MigrationResult {
  /** The version the database has now. */
  readonly version: number;
  /** Those that this call applied, in order. */
  readonly applied: readonly number[];
}

/** How often the making of the schema is tried again when other nodes make it at the same moment. */
const bootstrapAttempts = 20;

/**
 * Applies what is missing, each file in a transaction of its own. Nodes that start together wait for each other. Throws
 * `invalid-configuration` when the database is of a newer release, and the error of Postgres when a file fails, in
 * which case nothing of that file has happened.
 */
export async function migrate(database: Database, files = readMigrations()): Promise<MigrationResult> {
  const applied: number[] = [];
  const last = files.at(-1)?.version ?? 0;
  if (await isMissing(database.query)) await bootstrap(database);
  let version = await versionOf(database.query);
  while (version < last) {
    version = await database.transaction(async (query) => {
      // One row as the lock, not an advisory lock or a table lock: those are not there in every member of the family.
      await query({ text: 'select version from joinery.migrations where version = 0 for update', values: [] });
      const found = await versionOf(query);
      const next = files.find((file) => file.version === found + 1);
      if (next === undefined) return found;
      await query({ text: 'set local statement_timeout = 0', values: [] });
      await query({ text: next.sql, values: [] }, { unlimited: true });
      await query({ text: 'insert into joinery.migrations (version) values ($1)', values: [next.version] });
      applied.push(next.version);
      return next.version;
    });
  }
  if (version > last) throw tooNew(version, last);
  return { version, applied };
}

/** The files of `server/migrations`, in order. */
export function readMigrations(folder = new URL('../../../migrations/', import.meta.url)): readonly MigrationFile[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return names.map((name, index) => {
    const version = Number(/^(\d{6})\.sql$/.exec(name)?.[1]);
    if (version !== index + 1) throw new Error(`migration files are numbered 000001.sql and up, without gaps: ${name}`);
    return { version, sql: readFileSync(new URL(name, folder), 'utf8') };
  });
}

async function isMissing(query: Query): Promise<boolean> {
  const found = await query({ text: `select to_regclass('joinery.migrations') is null`, values: [] });
  return found.rows[0]?.[0] === 't';
}

async function versionOf(query: Query): Promise<number> {
  const found = await query({ text: 'select max(version) from joinery.migrations', values: [] });
  return Number(found.rows[0]?.[0] ?? 0);
}

/** `if not exists` does not keep two sessions apart that create the same thing at once: the loser looks again. */
async function bootstrap(database: Database): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await database.transaction(createTable);
      return;
    } catch (error) {
      if (attempt >= bootstrapAttempts || !isCollision(error)) throw error;
      await sleep(20 * attempt);
    }
  }
}

async function createTable(query: Query): Promise<void> {
  const schema = await query({ text: `select to_regnamespace('joinery') is null`, values: [] });
  // Asked first, because the command wants the right to create schemas even where it has nothing to do.
  if (schema.rows[0]?.[0] === 't') await query({ text: 'create schema if not exists joinery', values: [] });
  await query({
    text: `create table if not exists joinery.migrations (
      version integer primary key,
      applied_at timestamptz not null default now()
    )`,
    values: [],
  });
  await query({ text: 'insert into joinery.migrations (version) values (0) on conflict do nothing', values: [] });
}

/** Unique violation in the catalog, duplicate schema or table, tuple concurrently updated, serialization failure. */
function isCollision(error: unknown): boolean {
  return isPostgresError(error) && ['23505', '42P06', '42P07', 'XX000', '40001', '40P01'].includes(error.code);
}

function tooNew(version: number, known: number): ServiceError {
  return new ServiceError(
    'invalid-configuration',
    `the schema joinery of this database is at version ${version}, and this release knows versions up to ${known}; start the newer release that made it, or use another database (JOINERY_METADATA_DATABASE_URL)`,
  );
}
