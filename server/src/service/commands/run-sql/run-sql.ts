/** `run_sql`: runs SQL of an admin in a transaction, and updates the metadata to the database after it. */
import { randomUUID } from 'node:crypto';
import { RunSql, type SqlResult } from '@joinery/metadata/api/sources/run-sql';
import { parseArguments } from '@joinery/metadata/commands/edit/arguments';
import { dropObjects } from '@joinery/metadata/document/drop';
import type { Metadata } from '@joinery/metadata/metadata';
import type { QualifiedTable, SourceName } from '@joinery/metadata/names';
import type { Source } from '@joinery/metadata/schema/sources';
import { ServiceError } from '../../../base/errors.ts';
import { sessionSettings } from '../../../execute/context/session-settings.ts';
import { relationKey } from '../../../postgres/catalog/catalog-types.ts';
import type { Database } from '../../../postgres/client/pool.ts';
import type { Query, QueryResult } from '../../../postgres/client/statement-run.ts';
import { setSettings } from '../../../postgres/client/transaction.ts';
import { fromPostgres, isPostgresError } from '../../../postgres/sql/errors.ts';
import { quoteIdent } from '../../../postgres/sql/sql.ts';
import { convertEditErrors, dropNewInconsistencies, nextState, readCatalogs } from '../../metadata/apply-edit.ts';
import type { CommandApi, CommandContext, Outcome, Progress, ServiceCommand } from '../../metadata/command-context.ts';
import { droppedObjects, writeDropped } from '../../metadata/dropped-objects.ts';
import { dependencyError, newInconsistencies } from '../../metadata/inconsistencies.ts';
import { runForResults, writeResults } from './all-results.ts';
import { rejectAlteredFunctions } from './altered-functions.ts';
import { createPgcrypto } from './pgcrypto.ts';
import { followRenames, type Relations, readRelations } from './renames.ts';
import { asOneTransaction, runOneByOne, sqlError } from './transactions.ts';

const apis: ReadonlySet<CommandApi> = new Set(['v1', 'query']);

export const runSql: ServiceCommand<SqlResult> = {
  apis,
  arguments: RunSql,
  changes: (args) => {
    const parsed = RunSql.safeParse(args);
    return parsed.success && mayChangeCatalog(parsed.data);
  },
  foreignSql: () => true,
  run: async ({ args: input }, progress, context) => {
    const args = convertEditErrors(() => parseArguments(RunSql, input));
    const source = sourceNamed(progress.state.metadata, args.source);
    const database = context.tools.sources.of(source);
    if (!args.transaction || args.no_transaction) return runOutside(args, database, progress, context);
    const query = await context.unit.query(database);
    if (context.tools.createPgcrypto === true && !args.read_only) await createPgcrypto(query, args.sql);
    if (!mayChangeCatalog(args)) return { progress, result: await execute(query, args, context) };
    // Other changes of the metadata wait until this is committed, so that the SQL is not rolled back because of them.
    await context.lock();
    const before = await readRelations(query, progress.state.metadata, args.source);
    const result = await execute(query, args, context);
    const changed = await followSql(args, query, before, progress, context);
    return { progress: changed, result: { ...result, ...writeDropped(changed.dropped) } };
  },
};

/** Runs SQL outside of a transaction. Its effects stay, even where the metadata does not fit them. */
async function runOutside(
  args: RunSql,
  database: Database,
  progress: Progress,
  context: CommandContext,
): Promise<Outcome<SqlResult>> {
  if (!context.alone || args.read_only) {
    const message = `"transaction": false runs by itself: not in a bulk, and not with "read_only"`;
    throw new ServiceError('not-supported', message, { path: '$.args.transaction' });
  }
  const follows = mayChangeCatalog(args);
  // Before the SQL: a change that another node overtakes starts again, and would run the SQL twice.
  if (follows) await context.lock();
  const { metadata } = progress.state;
  const { before, result } = await database.session(async (query) => {
    const before = follows ? await readRelations(query, metadata, args.source) : new Map();
    if (context.tools.createPgcrypto === true) await createPgcrypto(query, args.sql);
    await query({ text: 'set statement_timeout = 0', values: [] });
    return { before, result: await writeResult(await runOneByOne(query, args.sql, context), args, query) };
  });
  if (!follows) return { progress, result };
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
  return { progress: changed, result: { ...result, ...writeDropped(changed.dropped) } };
}

/** Words without which no statement changes tracked objects, except by a function; that needs `check_metadata_consistency`. */
const catalogWords =
  /\b(alter|call|comment\s+on|create|do|drop|import|rename|replace|grant|revoke|reassign|set\s+schema)\b/i;

function mayChangeCatalog({ sql, check_metadata_consistency, read_only }: RunSql): boolean {
  return !read_only && (check_metadata_consistency ?? catalogWords.test(sql));
}

function sourceNamed(metadata: Metadata, name: SourceName): Source {
  const source = metadata.sources.find((one) => one.name === name);
  if (source !== undefined) return source;
  throw new ServiceError('not-exists', `source with name "${name}" does not exist`, { path: '$.args.source' });
}

/**
 * Runs the SQL within a savepoint, so that it can be read-only, and an end of the transaction is detected. The name of the
 * savepoint is random: SQL that knew it could roll back to it, write, and set it again.
 */
async function execute(
  query: Query,
  args: RunSql,
  { signal, span, session, tools }: CommandContext,
): Promise<SqlResult> {
  const { sql, read_only, all_results } = args;
  const text = asOneTransaction(sql);
  const savepoint = quoteIdent(`joinery_run_sql_${randomUUID()}`);
  await query({ text: `savepoint ${savepoint}`, values: [] });
  // SQL of admins may take long.
  const settings = setSettings({ statement_timeout: '0', ...sessionSettings(session, span, tools) });
  await query({ text: `${settings}${read_only ? '; set transaction read only' : ''}`, values: [] });
  /** Runs SQL that begins `lead` characters before position `start` of the text. */
  const run = (own: string, start = 0, lead = 0): Promise<QueryResult> =>
    query({ text: own, values: [] }, { signal, span, unlimited: true }).catch((error: unknown) => {
      throw isPostgresError(error)
        ? sqlError(error, sql, { inTransaction: true, before: text.slice(0, start), lead })
        : fromPostgres(error, { path: '$.args' });
    });
  const results = all_results ? await runForResults(text, all_results.max_rows, run) : [await run(text)];
  await query({ text: `release savepoint ${savepoint}`, values: [] }).catch((error: unknown) => {
    // The text does not always show it, such as with `execute` of a prepared statement.
    const message =
      'the SQL ended the transaction that it runs in: what it committed stays, and the metadata does not follow it; leave out commit and rollback, then run reload_metadata';
    throw new ServiceError('postgres-error', message, {
      path: '$.args.sql',
      internal: { transaction_ended: true },
      cause: error,
    });
  });
  // Settings of the SQL must not affect later statements.
  await query({ text: 'reset session authorization; reset role; reset all', values: [] });
  return writeResult(results, args, query);
}

/** Updates the metadata to the SQL: follows renames, and dropped tables and functions; what is broken then is an error, or is dropped. */
async function followSql(
  args: RunSql,
  query: Query,
  before: Relations,
  progress: Progress,
  context: CommandContext,
): Promise<Progress> {
  const { metadata, model } = progress.state;
  const renamed = await followRenames(metadata, args.source, before, query, model);
  const stale = { ...progress, fresh: new Set<SourceName>(), externalChanged: true };
  const read = await readCatalogs([args.source], renamed, stale, context);
  const kept = withoutMissing(renamed, args.source, progress, read);
  let state = await nextState(kept, read, context);
  const settings = (await newInconsistencies(model, state.model)).filter((one) => one.type === 'table_configuration');
  if (settings.length > 0) {
    // Configuration of dropped columns has no use.
    state = await nextState(
      dropObjects(
        state.metadata,
        settings.map((one) => one.path),
      ).metadata,
      read,
      context,
    );
  }
  rejectAltered(renamed, args, progress, read);
  const fresh = await newInconsistencies(model, state.model);
  if (fresh.length > 0 && !args.cascade) throw dependencyError(fresh);
  if (fresh.length > 0) state = await dropNewInconsistencies(model, state, context);
  return { ...read, state, dropped: args.cascade ? droppedObjects(renamed, state.metadata) : undefined };
}

/** Untracks the tables and functions that no longer exist, with their metadata. */
function withoutMissing(metadata: Metadata, source: SourceName, before: Progress, after: Progress): Metadata {
  const had = before.state.external.catalogs.get(source);
  const has = after.state.external.catalogs.get(source);
  if (had === undefined || has === undefined || had instanceof ServiceError || has instanceof ServiceError) {
    return metadata;
  }
  const isMissing = (kind: 'relations' | 'functions', { schema, name }: QualifiedTable): boolean => {
    const key = relationKey(schema, name);
    return had[kind].has(key) && !has[kind].has(key);
  };
  const missing = metadata.sources.flatMap(({ name, tables, functions = [] }, index) => {
    if (name !== source) return [];
    const path = `$.sources[${index}]`;
    return [
      ...tables.flatMap(({ table }, at) => (isMissing('relations', table) ? [`${path}.tables[${at}]`] : [])),
      ...functions.flatMap((one, at) => (isMissing('functions', one.function) ? [`${path}.functions[${at}]`] : [])),
    ];
  });
  return missing.length === 0 ? metadata : dropObjects(metadata, missing).metadata;
}

function rejectAltered(metadata: Metadata, args: RunSql, before: Progress, after: Progress): void {
  const { source: name, cascade } = args;
  const source = metadata.sources.find((one) => one.name === name);
  const had = before.state.external.catalogs.get(name);
  const has = after.state.external.catalogs.get(name);
  if (source === undefined || had === undefined || has === undefined) return;
  if (had instanceof ServiceError || has instanceof ServiceError) return;
  rejectAlteredFunctions(source, had, has, cascade);
}

/** Returns every value as text: of the last result, or of all where the arguments request it. */
async function writeResult(results: readonly QueryResult[], { all_results }: RunSql, query: Query): Promise<SqlResult> {
  if (all_results) {
    const written = await writeResults(results, all_results.max_rows, query);
    return { result_type: 'CommandOk', result: null, results: written };
  }
  const { fields = [], rows = [] } = results.at(-1) ?? {};
  if (fields.length === 0) return { result_type: 'CommandOk', result: null };
  const table = rows.map((row) => row.map((value) => value ?? 'NULL'));
  return { result_type: 'TuplesOk', result: [fields.map((field) => field.name), ...table] };
}
