/** Removes the event triggers of sources from the databases that the sources have left with a change of their configuration. */
import { isDeepStrictEqual } from 'node:util';
import type { CommandWarning } from '@joinery/metadata/api/metadata';
import type { Metadata } from '@joinery/metadata/metadata';
import { isSupportedSource, type Source } from '@joinery/metadata/schema/sources';
import { withinMs } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { readTriggerStatistics, type TriggerStatistics } from '../../events/triggers/statistics.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import { fixedStatement, runStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import type { SourceDatabases } from '../sources/pools.ts';
import { COMMAND_LOCK_MS, lockOwner } from './locks.ts';
import { isUsedByOthers, triggerOwner } from './owner.ts';
import { hasTriggerTables, prepareTriggers, type WantedTriggers } from './reconcile.ts';

interface Move {
  readonly from: Source;
  readonly to: Source;
  /** The position of the source in the metadata. */
  readonly at: number;
}

/** Returns the sources with another configuration that have had event triggers. */
export function movedSources(before: Metadata, after: Metadata): readonly Move[] {
  return after.sources.flatMap((to, at) => {
    const from = before.sources.find(({ name }) => name === to.name);
    if (from === undefined || !isSupportedSource(from) || !isSupportedSource(to)) return [];
    if (isDeepStrictEqual(from.configuration, to.configuration)) return [];
    return from.tables.some(({ event_triggers: triggers = [] }) => triggers.length > 0) ? [{ from, to, at }] : [];
  });
}

interface LeavingOptions {
  readonly store: Database;
  readonly sources: Pick<SourceDatabases, 'of'>;
  readonly observe: Observe;
}

export interface Leaving {
  /** The query function of the transaction on the former database; absent where nothing is removed. */
  readonly query?: Query;
  /** Removes what is stored, last in the transaction. Returns what was removed or remains; nothing without pending events. */
  readonly remove: () => Promise<CommandWarning | undefined>;
}

/** Milliseconds that a database has to respond. */
const RESPONSE_MS = 5_000;

/**
 * Prepares the removal of the triggers of the source from its former database, with their pending events, in the transaction that `begin` returns.
 * They remain where a node of another installation uses the database, or where it cannot be changed now; then a warning, which is also
 * logged, has the reason. Returns undefined where the database has no triggers of the source, or is still that of the source.
 */
export async function leaveDatabase(
  move: Move,
  begin: (database: Database) => Promise<Query>,
  { store, sources, observe }: LeavingOptions,
): Promise<Leaving | undefined> {
  const { from, to } = move;
  const remaining = (reason: string): CommandWarning => {
    const message = `event triggers of source "${from.name}" remain in its former database: ${reason}; get_event_orphans with its database_url, or joinery doctor --orphans, lists them with the SQL that removes them`;
    observe({ kind: 'note', level: 'warn', where: 'event triggers', message });
    return warningOf(move, 'events-remain', message);
  };
  const remains = (reason: string): Leaving => {
    const warning = remaining(reason);
    return { remove: () => Promise.resolve(warning) };
  };
  let query: Query | undefined;
  try {
    const [former, present] = [sources.of(from), sources.of(to)];
    // Another address may lead to the same database.
    if (former === present || (await identityOf(former)) === (await identityOf(present))) return undefined;
    if (!(await hasTriggerTables(former.query))) return undefined;
    query = await begin(former);
    await runStatement(query, sql`savepoint joinery_leave`);
    const owner = await triggerOwner(store, from.name);
    await lockOwner(query, owner, COMMAND_LOCK_MS);
    const statistics = await readTriggerStatistics(query, owner);
    if (statistics.size === 0) return undefined;
    if (await isUsedByOthers(query, store)) {
      return remains(`another installation uses it. They have ${printPending(statistics)}`);
    }
    const wanted: WantedTriggers = { triggers: new Map(), inconsistent: new Set() };
    const change = await prepareTriggers(query, { owner, wanted, lockMs: COMMAND_LOCK_MS });
    const inTransaction = query;
    const remove = async (): Promise<CommandWarning | undefined> => {
      // The transaction may have changed the triggers of other sources since.
      await runStatement(inTransaction, sql`savepoint joinery_leave`);
      try {
        const { removeStored } = await change();
        // Without new events, because the tables are locked.
        const removed = await readTriggerStatistics(inTransaction, owner);
        await removeStored();
        if ([...removed.values()].every(({ pending }) => pending === 0)) return undefined;
        const message = `the event triggers of source "${from.name}" were removed from its former database with ${printPending(removed)}`;
        observe({ kind: 'note', level: 'warn', where: 'event triggers', message });
        return warningOf(move, 'events-removed', message);
      } catch (error) {
        await runStatement(inTransaction, sql`rollback to savepoint joinery_leave`);
        return remaining(fromPostgres(error).message);
      }
    };
    return { query, remove };
  } catch (error) {
    // The error of a lost connection is that of the commit, too.
    if (query !== undefined) await runStatement(query, sql`rollback to savepoint joinery_leave`);
    return remains(fromPostgres(error).message);
  }
}

function warningOf({ to, at }: Move, code: string, message: string): CommandWarning {
  return { message, type: 'source', name: `source ${to.name}`, code, path: `$.sources[${at}].configuration` };
}

function printPending(statistics: ReadonlyMap<string, TriggerStatistics>): string {
  const all = [...statistics.values()];
  const count = all.reduce((sum, { pending }) => sum + pending, 0);
  const least = all.some((one) => one.pending_is_capped) ? 'at least ' : '';
  return `${least}${count} pending event${count === 1 ? '' : 's'}`;
}

const identity = fixedStatement([], ['id'], () => {
  return sql`select concat_ws('/', pg_postmaster_start_time(), d.oid) as id
    from pg_catalog.pg_database d where d.datname = current_database()`;
});

/** Identifies the database, regardless of its address, as long as its server runs. */
export async function databaseIdentity(query: Query): Promise<string> {
  return (await identity.row(query, {}))?.id ?? '';
}

function identityOf({ query }: Database): Promise<string> {
  const late = (): ServiceError => new ServiceError('busy', 'the database does not respond');
  return withinMs(RESPONSE_MS, late, (signal) => databaseIdentity((run, more) => query(run, { ...more, signal })));
}
