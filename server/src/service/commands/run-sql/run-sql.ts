/** `run_sql`: SQL of an admin in a transaction, and the metadata that still fits the database afterwards. */
import { randomUUID } from 'node:crypto';
import { parseArguments } from '@joinery/metadata/commands/edit/arguments';
import { sourceArgument } from '@joinery/metadata/commands/edit/change';
import { dropObjects } from '@joinery/metadata/document/drop';
import type { Metadata } from '@joinery/metadata/metadata';
import type { SourceName } from '@joinery/metadata/names';
import type { Source } from '@joinery/metadata/schema/sources';
import { z } from 'zod';
import { ServiceError } from '../../../base/errors.ts';
import { relationKey } from '../../../postgres/catalog/catalog-types.ts';
import type { Database, Query, QueryResult } from '../../../postgres/client/pool.ts';
import { fromPostgres, isPostgresError } from '../../../postgres/sql/errors.ts';
import { quoteIdent } from '../../../postgres/sql/sql.ts';
import { dropFresh, nextState, readCatalogs, within } from '../../metadata/apply-edit.ts';
import type { CommandApi, Context, Outcome, Progress, ServiceCommand } from '../../metadata/command-context.ts';
import { droppedObjects, writeDropped } from '../../metadata/dropped-objects.ts';
import { dependencies, freshInconsistencies } from '../../metadata/inconsistencies.ts';
import { refuseAlteredFunctions } from './altered-functions.ts';
import { followRenames, type Relations, readRelations } from './renames.ts';
import { asOneTransaction, refused, runOneByOne } from './transactions.ts';

const RunSqlArguments = z.strictObject({
  sql: z.string().min(1),
  source: sourceArgument,
  /** Drops what the SQL breaks, instead of refusing the SQL. */
  cascade: z.boolean().default(false),
  /** Undefined: as the text of the SQL suggests. */
  check_metadata_consistency: z.boolean().nullish(),
  read_only: z.boolean().default(false),
  /** False for statements that cannot run in a transaction, such as `create index concurrently`; each is one of its own. */
  transaction: z.boolean().default(true),
});
type RunSqlArguments = z.infer<typeof RunSqlArguments>;

const apis: ReadonlySet<CommandApi> = new Set(['v1', 'query']);

export const runSql: ServiceCommand = {
  apis,
  changes: (args) => {
    const parsed = RunSqlArguments.safeParse(args);
    return parsed.success && mayChangeCatalog(parsed.data);
  },
  foreignSql: () => true,
  run: async ({ args: input }, progress, context) => {
    const args = within(() => parseArguments(RunSqlArguments, input));
    const source = sourceNamed(progress.state.metadata, args.source);
    const database = context.tools.sources.of(source);
    if (!args.transaction) return runOutside(args, database, progress, context);
    const query = await context.unit.query(database);
    if (!mayChangeCatalog(args)) return { progress, answer: writeResult(await execute(query, args, context)) };
    // Whoever else changes the metadata waits until this is committed, so that it is not undone for their sake.
    await context.lock();
    const before = await readRelations(query, progress.state.metadata, args.source);
    const result = await execute(query, args, context);
    const changed = await followSql(args, query, before, progress, context);
    return { progress: changed, answer: { ...writeResult(result), ...writeDropped(changed.dropped) } };
  },
};

/** What it has done stays, even where the metadata does not fit it afterwards. */
async function runOutside(
  args: RunSqlArguments,
  database: Database,
  progress: Progress,
  context: Context,
): Promise<Outcome> {
  if (!context.alone || args.read_only) {
    const message = `"transaction": false runs by itself: not in a bulk, and not with "read_only"`;
    throw new ServiceError('not-supported', message, { path: '$.args.transaction' });
  }
  const follows = mayChangeCatalog(args);
  // Before the SQL: a change that is begun again because of another node's would run it twice.
  if (follows) await context.lock();
  const { metadata } = progress.state;
  const { before, result } = await database.session(async (query) => {
    const before = follows ? await readRelations(query, metadata, args.source) : new Map();
    await query({ text: 'set statement_timeout = 0', values: [] });
    return { before, result: await runOneByOne(query, args.sql, context) };
  });
  if (!follows) return { progress, answer: writeResult(result) };
  const query = await context.unit.query(database);
  const changed = await followSql(args, query, before, progress, context).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, internal } = error;
    throw new ServiceError(code, `the SQL took effect, and the metadata does not fit it: ${message}`, {
      path: '$.args',
      internal,
      cause: error,
    });
  });
  return { progress: changed, answer: { ...writeResult(result), ...writeDropped(changed.dropped) } };
}

/** Words without which no statement changes what the metadata speaks of. A function that does needs to be announced. */
const catalogWords =
  /\b(alter|call|comment\s+on|create|do|drop|import|rename|replace|grant|revoke|reassign|set\s+schema)\b/i;

function mayChangeCatalog({ sql, check_metadata_consistency, read_only }: RunSqlArguments): boolean {
  return !read_only && (check_metadata_consistency ?? catalogWords.test(sql));
}

function sourceNamed(metadata: Metadata, name: SourceName): Source {
  const source = metadata.sources.find((one) => one.name === name);
  if (source !== undefined) return source;
  throw new ServiceError('not-exists', `source with name "${name}" does not exist`, { path: '$.args.source' });
}

/**
 * Within a savepoint of ours, so that the SQL can be read-only on its own, and an end of the transaction is noticed. SQL
 * that knew its name could leave it, write what it was not to write, and set another in its place.
 */
async function execute(
  query: Query,
  { sql, read_only }: RunSqlArguments,
  { signal, span }: Context,
): Promise<QueryResult> {
  const text = asOneTransaction(sql);
  const savepoint = quoteIdent(`joinery_run_sql_${randomUUID()}`);
  await query({ text: `savepoint ${savepoint}`, values: [] });
  // An admin who starts a long statement wants it to end.
  await query({ text: `set local statement_timeout = 0${read_only ? '; set transaction read only' : ''}`, values: [] });
  const result = await query({ text, values: [] }, { signal, span, unlimited: true }).catch((error: unknown) => {
    throw isPostgresError(error)
      ? refused(error, sql, { inTransaction: true })
      : fromPostgres(error, { path: '$.args' });
  });
  await query({ text: `release savepoint ${savepoint}`, values: [] }).catch((error: unknown) => {
    // Such as by `execute` of a prepared statement: the text does not show it.
    const message =
      'the SQL ended the transaction that it runs in: what it committed stays, and the metadata does not follow it; leave out commit and rollback, then run reload_metadata';
    throw new ServiceError('postgres-error', message, {
      path: '$.args.sql',
      internal: { transaction_ended: true },
      cause: error,
    });
  });
  // What the SQL has set must not change the meaning of what comes after it.
  await query({ text: 'reset session authorization; reset role; reset all', values: [] });
  return result;
}

/** The metadata after the SQL: renames and dropped tables are followed, the rest must still resolve or is dropped. */
async function followSql(
  args: RunSqlArguments,
  query: Query,
  before: Relations,
  progress: Progress,
  context: Context,
): Promise<Progress> {
  const { metadata, model } = progress.state;
  const renamed = await followRenames(metadata, args.source, before, query, model);
  const stale = { ...progress, fresh: new Set<SourceName>(), worldChanged: true };
  const read = await readCatalogs([args.source], renamed, stale, context);
  const kept = withoutVanished(renamed, args.source, progress, read);
  let state = await nextState(kept, read, context);
  const settings = (await freshInconsistencies(model, state.model)).filter((one) => one.type === 'table_configuration');
  if (settings.length > 0) {
    // The name of a column that is gone says nothing any more.
    state = await nextState(
      dropObjects(
        state.metadata,
        settings.map((one) => one.path),
      ).metadata,
      read,
      context,
    );
  }
  if (!args.cascade) refuseAltered(renamed, args.source, progress, read);
  const fresh = await freshInconsistencies(model, state.model);
  if (fresh.length > 0 && !args.cascade) throw dependencies(fresh);
  if (fresh.length > 0) state = await dropFresh(model, state, context);
  return { ...read, state, dropped: args.cascade ? droppedObjects(renamed, state.metadata) : undefined };
}

/** Tables that were there before and are not any more are untracked, with all that is written on them. */
function withoutVanished(metadata: Metadata, source: SourceName, before: Progress, after: Progress): Metadata {
  const had = before.state.world.catalogs.get(source);
  const has = after.state.world.catalogs.get(source);
  if (had === undefined || has === undefined || had instanceof ServiceError || has instanceof ServiceError) {
    return metadata;
  }
  const gone = metadata.sources.flatMap((one, sourceIndex) =>
    one.name !== source
      ? []
      : one.tables.flatMap(({ table }, tableIndex) => {
          const key = relationKey(table.schema, table.name);
          const vanished = had.relations.has(key) && !has.relations.has(key);
          return vanished ? [`$.sources[${sourceIndex}].tables[${tableIndex}]`] : [];
        }),
  );
  return gone.length === 0 ? metadata : dropObjects(metadata, gone).metadata;
}

function refuseAltered(metadata: Metadata, name: SourceName, before: Progress, after: Progress): void {
  const source = metadata.sources.find((one) => one.name === name);
  const had = before.state.world.catalogs.get(name);
  const has = after.state.world.catalogs.get(name);
  if (source === undefined || had === undefined || has === undefined) return;
  if (had instanceof ServiceError || has instanceof ServiceError) return;
  refuseAlteredFunctions(source, had, has);
}

/** Every value as text. */
function writeResult({ fields, rows }: QueryResult): Readonly<Record<string, unknown>> {
  if (fields.length === 0) return { result_type: 'CommandOk', result: null };
  const table = rows.map((row) => row.map((value) => value ?? 'NULL'));
  return { result_type: 'TuplesOk', result: [fields.map((field) => field.name), ...table] };
}
