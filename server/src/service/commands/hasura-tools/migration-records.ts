/** The record of applied migrations in each source, in the form of the command line tool of Hasura v2. */
import { isSupportedSource } from '@joinery/metadata/schema/sources';
import { createMigrationTable, hasMigrationTable } from '@joinery/metadata/sql/migration-record';
import { ServiceError } from '../../../base/errors.ts';
import { isJsonObject } from '../../../base/json-value.ts';
import type { Database } from '../../../postgres/client/pool.ts';
import type { Query } from '../../../postgres/client/statement-run.ts';
import { fromPostgres, isPostgresError } from '../../../postgres/sql/errors.ts';
import { queryRows, runStatement } from '../../../postgres/sql/rows.ts';
import { sql, value } from '../../../postgres/sql/sql.ts';
import type { Progress, Tools } from '../../metadata/command-context.ts';

/** The applied migrations by version; true for one that has not been completed. */
export type Migrations = ReadonlyMap<string, boolean>;
export type MigrationsBySource = ReadonlyMap<string, Migrations>;

export interface SourceRecord {
  /** Undefined where the database is not reachable. */
  readonly database: Database | undefined;
  /** Undefined where the database has no record. */
  readonly migrations: Migrations | undefined;
}

/** Returns the records of all sources that run migrations. */
export async function readRecords({ state }: Progress, tools: Tools): Promise<ReadonlyMap<string, SourceRecord>> {
  const sources = state.metadata.sources.filter(isSupportedSource);
  const records = sources.map(async (source): Promise<readonly [string, SourceRecord]> => {
    const unreachable = [source.name, { database: undefined, migrations: undefined }] as const;
    if (state.external.catalogs.get(source.name) instanceof ServiceError) return unreachable;
    try {
      const database = tools.sources.of(source);
      return [source.name, { database, migrations: await readRecord(database.query) }];
    } catch (error) {
      const failure = isPostgresError(error) ? fromPostgres(error) : error;
      if (failure instanceof ServiceError && ['busy', 'invalid-configuration'].includes(failure.code)) {
        return unreachable;
      }
      throw failure;
    }
  });
  return new Map(await Promise.all(records));
}

async function readRecord(query: Query): Promise<Migrations | undefined> {
  const { rows } = await query({ text: hasMigrationTable, values: [] });
  if (rows[0]?.[0] !== 't') return undefined;
  const all = sql`select version, not done as dirty from joinery.database_migrations where version > 0 order by version`;
  const found = await queryRows(query, all, ['version', 'dirty']);
  return new Map(found.map(({ version, dirty }) => [version ?? '', dirty === 't']));
}

/** Reads `migrations` of the state. Members of another form belong to the state alone. */
export function migrationsIn(state: unknown): MigrationsBySource {
  if (!isJsonObject(state) || !isJsonObject(state.migrations)) return new Map();
  const sources = Object.entries(state.migrations).flatMap(([source, versions]): [string, Migrations][] => {
    if (!isJsonObject(versions)) return [];
    const read = Object.entries(versions).flatMap(([version, dirty]): [string, boolean][] =>
      /^[1-9]\d{0,18}$/.test(version) && typeof dirty === 'boolean' ? [[version, dirty]] : [],
    );
    return [[source, new Map(read)]];
  });
  return new Map(sources);
}

interface Change {
  /** New versions, and those whose completion differs. */
  readonly set: readonly (readonly [version: string, dirty: boolean])[];
  readonly removed: readonly string[];
}

/** Returns undefined where nothing differs. */
export function changeOf(before: Migrations, after: Migrations): Change | undefined {
  const set = [...after].filter(([version, dirty]) => before.get(version) !== dirty);
  const removed = [...before.keys()].filter((version) => !after.has(version));
  return set.length + removed.length === 0 ? undefined : { set, removed };
}

/** Changes the record and creates it where it is missing. Waits for `joinery migrate`, which locks the row 0. */
export async function writeRecord(query: Query, { set, removed }: Change): Promise<void> {
  const { rows } = await query({ text: hasMigrationTable, values: [] });
  if (rows[0]?.[0] !== 't') await query({ text: createMigrationTable, values: [] });
  await runStatement(query, sql`select from joinery.database_migrations where version = 0 for update`);
  await runStatement(
    query,
    sql`delete from joinery.database_migrations where version = any (${value(removed)}::numeric[])`,
  );
  const [versions, dirty] = [set.map(([version]) => version), set.map(([, isDirty]) => isDirty)];
  await runStatement(
    query,
    sql`insert into joinery.database_migrations (version, name, done, running)
      select version, '', not dirty, dirty
      from unnest(${value(versions)}::numeric[], ${value(dirty)}::boolean[]) as given (version, dirty)
      on conflict (version) do update set done = excluded.done, running = excluded.running`,
  );
}
