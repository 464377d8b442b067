/**
 * `get_catalog_state` and `set_catalog_state`. The migrations in the state of the command line tool of Hasura v2 are those of
 * `joinery migrate`: both read and write the record in each source.
 */

import { SetCatalogState } from '@joinery/metadata/api/hasura-tools';
import { NoArguments } from '@joinery/metadata/api/metadata';
import { ServiceError } from '../../../base/errors.ts';
import { isJsonObject, parseJson, printJson } from '../../../base/json-value.ts';
import type { Query } from '../../../postgres/client/statement-run.ts';
import { queryRows, runStatement } from '../../../postgres/sql/rows.ts';
import { sql, value } from '../../../postgres/sql/sql.ts';
import type { CommandContext, CommandResult, Progress, ServiceCommand } from '../../metadata/command-context.ts';
import { success } from '../../metadata/command-context.ts';
import { readCommand } from '../command.ts';
import {
  changeOf,
  type MigrationsBySource,
  migrationsIn,
  readRecords,
  type SourceRecord,
  writeRecord,
} from './migration-records.ts';

interface StoredState {
  readonly id: string;
  readonly cli: unknown;
  readonly console: unknown;
}

export const getCatalogState: ServiceCommand<CommandResult<'get_catalog_state'>> = readCommand(
  NoArguments,
  async (_args, progress, { tools }) => {
    const stored = await readState(tools.store.database.query);
    const records = await readRecords(progress, tools);
    return { id: stored.id, cli_state: withMigrations(stored.cli, records), console_state: stored.console };
  },
);

/** Replaces the state. Migrations of sources that it does not name are kept. */
export const setCatalogState: ServiceCommand<CommandResult<'set_catalog_state'>> = readCommand(
  SetCatalogState,
  async ({ type, state }, progress, context) => {
    const query = await context.unit.query(context.tools.store.database);
    const stored = await readState(query, true);
    if (type === 'cli') await writeMigrations(state, stored, progress, context);
    const text = value(printJson(state));
    await runStatement(
      query,
      type === 'cli'
        ? sql`update joinery.catalog_state set cli_state = ${text}::jsonb`
        : sql`update joinery.catalog_state set console_state = ${text}::jsonb`,
    );
    return success;
  },
);

async function readState(query: Query, locks = false): Promise<StoredState> {
  const columns = sql`select installation_id, cli_state, console_state from joinery.catalog_state`;
  const [row] = await queryRows(query, locks ? sql`${columns} for update` : columns, [
    'installation_id',
    'cli_state',
    'console_state',
  ]);
  if (row === undefined) throw new ServiceError('unexpected', 'the row of table joinery.catalog_state is missing');
  const parsed = (text: string | null): unknown => parseJson(text ?? '{}');
  return { id: row.installation_id ?? '', cli: parsed(row.cli_state), console: parsed(row.console_state) };
}

/** Returns the state with the migrations of the records. Sources without a record keep those of the state. */
function withMigrations(state: unknown, records: ReadonlyMap<string, SourceRecord>): unknown {
  if (!isJsonObject(state)) return state;
  const recorded = [...records].flatMap(([source, { migrations }]) =>
    migrations === undefined ? [] : [[source, Object.fromEntries(migrations)] as const],
  );
  if (recorded.length === 0) return state;
  const kept = isJsonObject(state.migrations) ? state.migrations : {};
  return { ...state, migrations: { ...kept, ...Object.fromEntries(recorded) } };
}

async function writeMigrations(
  state: unknown,
  stored: StoredState,
  progress: Progress,
  context: CommandContext,
): Promise<void> {
  const records = await readRecords(progress, context.tools);
  const before: MigrationsBySource = migrationsIn(stored.cli);
  for (const [source, wanted] of migrationsIn(state)) {
    const record = records.get(source);
    // The state alone has the migrations of a source that the metadata does not have.
    if (record === undefined) continue;
    const change = changeOf(record.migrations ?? before.get(source) ?? new Map(), wanted);
    if (change === undefined) continue;
    if (record.database === undefined) {
      const message = `the database of source "${source}" is not reachable, and its migrations would change`;
      throw new ServiceError('busy', message, { path: `$.args.state.migrations.${source}` });
    }
    // A record that does not exist yet begins with what the state had.
    const all = record.migrations === undefined ? changeOf(new Map(), wanted) : change;
    if (all !== undefined) await writeRecord(await context.unit.query(record.database), all);
  }
}
