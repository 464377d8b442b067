/** Databases for tests: each is a clone of a template, created in milliseconds and used by one test file. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createDatabase, type Database, type DatabaseSettings } from '../../../src/postgres/client/pool.ts';
import { migrate } from '../../../src/postgres/migrations/migrate.ts';
import { migrateSource } from '../../../src/postgres/migrations/sources.ts';
import { until } from '../until.ts';

export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes `database`, ends all other connections and drops the database. */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** Whether the database has the schema `joinery`. */
  readonly migrated?: boolean;
  /** Whether it has the tables of event triggers, as a source, instead. */
  readonly source?: boolean;
  /** Statements that run in the new database. */
  readonly sql?: string;
}

const migrations = fileURLToPath(new URL('../../../migrations/', import.meta.url));
const chinookFile = fileURLToPath(new URL('../../../../../shared/data/chinook.sql', import.meta.url));

/** Creates a database. The caller drops it when its tests have ended. */
export async function testDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  if (options.source) return clone(await sourceTemplate(), options.sql);
  return clone(options.migrated ? await migratedTemplate() : 'template0', options.sql);
}

/** Creates a database with the public sample Chinook in schema `public`. Returns undefined if its file does not exist. */
export async function chinook(options: TestDatabaseOptions = {}): Promise<TestDatabase | undefined> {
  if (!existsSync(chinookFile)) return undefined;
  const base = options.migrated ? await migratedTemplate() : 'template0';
  const load = readFileSync(chinookFile, 'utf8');
  const template = await ensureTemplate(
    `chinook_${options.migrated ? 'migrated_' : ''}${digest(base + load)}`,
    base,
    (database) => database.query({ text: load, values: [] }),
  );
  return clone(template, options.sql);
}

/** Connects to the URL with the settings for tests. */
export function connect(url: string, poolSize = 5): Database {
  return createDatabase({ url, poolSize, statementTimeoutMs: 20_000, prepare: true, applicationName: 'joinery tests' });
}

/** Runs `work` with a pool of one connection without a statement timeout, where `settings` do not differ. Closes it. */
export async function withDatabase<T>(
  { url }: Pick<TestDatabase, 'url'>,
  settings: Partial<DatabaseSettings>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const usual = { url, poolSize: 1, statementTimeoutMs: 0, prepare: true, applicationName: 'joinery tests' };
  const database = createDatabase({ ...usual, ...settings });
  return work(database).finally(() => database.close());
}

function migratedTemplate(): Promise<string> {
  return ensureTemplate(`migrated_${digest(textOf(migrations))}`, 'template0', migrate);
}

function sourceTemplate(): Promise<string> {
  return ensureTemplate(`source_${digest(textOf(`${migrations}sources/`))}`, 'template0', migrateSource);
}

/** Returns the SQL files of the folder as one text. */
function textOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sql'));
  return files.map((name) => name + readFileSync(folder + name, 'utf8')).join('');
}

async function clone(template: string, text: string | undefined): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin((admin) => run(admin, `create database ${name} template ${template}`));
  const url = urlOf(name);
  const database = connect(url);
  if (text !== undefined) await run(database, text);
  return {
    url,
    database,
    drop: async () => {
      await database.close();
      await asAdmin((admin) => run(admin, `drop database if exists ${name} with (force)`));
    },
  };
}

/** Creates the template unless it exists, under an advisory lock. Its name contains a digest of its content. */
function ensureTemplate(name: string, base: string, fill: (database: Database) => Promise<unknown>): Promise<string> {
  return asAdmin(async (admin) => {
    const exists = async (): Promise<boolean> => {
      const found = await admin.query({ text: 'select 1 from pg_database where datname = $1', values: [name] });
      return found.rows.length > 0;
    };
    if (await exists()) return name;
    await admin.query({ text: 'select pg_advisory_lock(hashtext($1))', values: [name] });
    if (await exists()) return name;
    const draft = `${name}_draft`;
    await run(admin, `drop database if exists ${draft} with (force)`);
    await run(admin, `create database ${draft} template ${base}`);
    const database = connect(urlOf(draft), 1);
    await fill(database).finally(() => database.close());
    // A template can be cloned, also concurrently, only while it has no connections.
    await run(admin, `alter database ${draft} with allow_connections false`);
    await untilUnused(admin, draft);
    await run(admin, `alter database ${draft} rename to ${name}`);
    return name;
  });
}

async function untilUnused(admin: Database, name: string): Promise<void> {
  const text = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';
  await until(
    `the database ${name} has no connections`,
    async () => (await admin.query({ text, values: [name] })).rows.length === 0,
  );
}

/** Runs `work` on one connection, which holds an advisory lock until it is closed. */
async function asAdmin<T>(work: (admin: Database) => Promise<T>): Promise<T> {
  const admin = connect(serverUrl(), 1);
  return work(admin).finally(() => admin.close());
}

function run(database: Database, text: string): Promise<unknown> {
  return database.query({ text, values: [] });
}

function serverUrl(): string {
  const url = process.env.JOINERY_TEST_DATABASE_URL;
  if (url === undefined) throw new Error('JOINERY_TEST_DATABASE_URL is not set; run the tests with vitest');
  return url;
}

function urlOf(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
