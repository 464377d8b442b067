/**
 * Repairs the triggers in the databases of sources where they differ from the metadata: after a start, after a change by another node,
 * when a source is reachable again, when a table or a trigger was changed without the service, and after a change that failed at its
 * commit. One node at a time does so for a source, under a lock in its database that changes of the metadata wait for; the metadata is
 * not locked meanwhile.
 */

import type { SourceName } from '@joinery/metadata/names';
import { isSupportedSource, type Source } from '@joinery/metadata/schema/sources';
import { ServiceError } from '../../base/errors.ts';
import { createFailureLog } from '../../base/failure-log.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { migrateSource } from '../../postgres/migrations/sources.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { runStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import type { CaptureFailures } from '../metadata/capture-inconsistencies.ts';
import type { Tools } from '../metadata/command-context.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import type { State } from '../metadata/state.ts';
import type { Mark } from '../metadata/store.ts';
import { wantedTriggers } from './apply.ts';
import { captureHash } from './capture-definition.ts';
import { isLocked, lockOwner, REPAIR_LOCK_MS, setLockTimeout } from './locks.ts';
import { triggerOwner } from './owner.ts';
import {
  type Difference,
  differences,
  hasTriggerTables,
  isLeftOver,
  type Reconciliation,
  reconcileTriggers,
  removeTriggerTables,
  type TriggerFailures,
  type WantedTriggers,
} from './reconcile.ts';
import { createRepairBackoff } from './repair-backoff.ts';

export interface ReconcilerOptions {
  readonly tools: Pick<Tools, 'store' | 'sources' | 'observe' | 'reconcileMs'>;
  readonly current: () => Snapshot;
  /** Reads the catalog of a source again. */
  readonly refresh: (source: Source) => Promise<void>;
  readonly report: (state: State, failures: CaptureFailures) => Promise<void>;
}

export interface TriggerReconciler {
  start(): void;
  /** Compares the sources with the metadata soon. */
  check(): void;
  /** Resolves when the last comparison has ended. */
  stop(): Promise<void>;
}

const DEFAULT_INTERVAL_MS = 10_000;
/** Intervals after which the same triggers are repaired again. */
const INTERVALS_UNTIL_AGAIN = 6;

const INSUFFICIENT_PRIVILEGE = '42501';

type Differences = ReadonlyMap<string, Difference>;

/** All triggers of the source. */
const everything: Differences = new Map([['', 'changed']]);
const nothing: Differences = new Map();
/** The triggers are those of the metadata; this process has not migrated the tables of event triggers yet. */
const unmigrated: Differences = new Map(everything);

interface Repair {
  readonly failures: TriggerFailures;
  /** Whether a lock was waited for in vain. */
  readonly isIncomplete: boolean;
}

const nothingFailed: TriggerFailures = new Map();
const noRepair: Repair = { failures: nothingFailed, isIncomplete: false };

/** One for each process. Nothing happens before `start`. */
export function createTriggerReconciler({ tools, current, refresh, report }: ReconcilerOptions): TriggerReconciler {
  const { store, sources, observe } = tools;
  const failureLog = createFailureLog(observe, 'reconciliation of event triggers');
  const intervalMs = tools.reconcileMs ?? DEFAULT_INTERVAL_MS;
  /** The sources whose tables were migrated by this process. */
  const migrated = new WeakSet<Database>();
  const againMs = INTERVALS_UNTIL_AGAIN * intervalMs;
  /** The last repairs. */
  const repaired = new Map<SourceName, { readonly touched: string; readonly names: string; readonly at: number }>();
  const backoff = createRepairBackoff(againMs);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let started = false;
  let stopped = false;

  function schedule(): void {
    clearTimeout(timer);
    if (!started || stopped) return;
    timer = setTimeout(run, intervalMs);
    timer.unref();
  }

  function run(): void {
    if (!started || stopped) return;
    if (running !== undefined) {
      again = true;
      return;
    }
    running = compareAll()
      .then(failureLog.recovered, failureLog.failed)
      .finally(() => {
        running = undefined;
        schedule();
        if (!again) return;
        again = false;
        run();
      });
  }

  async function compareAll(): Promise<void> {
    // At the same time, so that a source that does not respond does not delay the others.
    const compared = await Promise.allSettled(
      current()
        .state.metadata.sources.filter(isSupportedSource)
        .map((source) => compare(source)),
    );
    for (const one of compared) {
      // A source that is not reachable is an inconsistency already.
      const isExpected = one.status === 'fulfilled' || (one.reason instanceof ServiceError && isPassing(one.reason));
      if (!isExpected) throw one.reason;
    }
  }

  async function compare(source: Source): Promise<void> {
    const database = sources.of(source);
    const found = await differencesOf(source, database);
    if (found.size === 0) return clearReport(source);
    const names = JSON.stringify([...found.keys()].sort());
    // A repair leaves the difference where a trigger cannot be created or its condition fails for each event.
    const last = repaired.get(source.name);
    const isRecent = last !== undefined && performance.now() - last.at < againMs;
    if (isRecent && last.touched === current().mark.touched && last.names === names) return;
    // The tables may have changed since the catalog was read.
    if (found !== unmigrated) await refresh(source);
    const present = current().state.metadata.sources.find(({ name }) => name === source.name);
    // With another database, the next comparison follows.
    if (present !== undefined && sources.of(present) !== database) return;
    const left = await differencesOf(source, database);
    const snapshot = current();
    const wanted = wantedTriggers(snapshot.state, source.name);
    if (wanted === undefined) return;
    const repeated = repeatedly(source, wanted, left);
    const marked = markedMeanwhile(found, left);
    const except = new Set([...repeated.delayed, ...marked]);
    const repair = await repairAll(source, database, { snapshot, wanted, left, except });
    if (repair === undefined) return;
    // A trigger with a locked table is repaired with the next comparison.
    if (!repair.isIncomplete && marked.length === 0) {
      repaired.set(source.name, { touched: snapshot.mark.touched, names, at: performance.now() });
    }
    await reportFailures(source, snapshot.state, new Map([...repeated.failures, ...repair.failures]));
  }

  async function reportFailures(source: Source, state: State, failures: TriggerFailures): Promise<void> {
    const known = state.external.captureFailures;
    await report(state, new Map([...(known ?? []), [source.name, failures]]));
  }

  /**
   * Returns the triggers that were marked as outdated after the catalog was read: it may lack the change of their table, and a repair
   * would remove the mark. The next comparison repairs them.
   */
  function markedMeanwhile(found: Differences, left: Differences): readonly string[] {
    return [...left]
      .filter(([name, now]) => now === 'outdated' && found.get(name) !== 'outdated')
      .map(([name]) => name);
  }

  /** Ends the report of triggers that were locked, or failed repeatedly. */
  async function clearReport(source: Source): Promise<void> {
    const { state } = current();
    const known = state.external.captureFailures?.get(source.name) ?? nothingFailed;
    const triggers = state.model.sources.get(source.name)?.eventTriggers;
    const left = [...known].filter(([name, error]) => {
      if (!repeatedErrors.has(error)) return error.code !== 'concurrent-update';
      const trigger = triggers?.get(name);
      return trigger !== undefined && backoff.wasRepaired({ source: source.name, name, hash: captureHash(trigger) });
    });
    if (left.length < known.size) await reportFailures(source, state, new Map(left));
  }

  /** Returns the errors of the triggers that were repaired in vain, and the names of those that are not repaired again yet. */
  function repeatedly(source: Source, { triggers }: WantedTriggers, found: Differences) {
    const failures = new Map<string, ServiceError>();
    const delayed: string[] = [];
    for (const [name, difference] of found) {
      const trigger = triggers.get(name);
      if (trigger === undefined || difference !== 'outdated') continue;
      const repair = { source: source.name, name, hash: captureHash(trigger) };
      if (!backoff.wasRepaired(repair)) continue;
      failures.set(name, repeatedError());
      if (backoff.isDelayed(repair)) delayed.push(name);
    }
    return { failures, delayed };
  }

  async function differencesOf(source: Source, database: Database): Promise<Differences> {
    const { state } = current();
    try {
      return await readDifferences(source, database, state);
    } catch (error) {
      // The repair reports what the role may not do.
      if (isPostgresError(error) && error.code === INSUFFICIENT_PRIVILEGE) return everything;
      throw error;
    }
  }

  async function readDifferences(source: Source, database: Database, state: State): Promise<Differences> {
    const wanted = wantedTriggers(state, source.name);
    if (wanted === undefined) return nothing;
    const isNeeded = wanted.triggers.size > 0;
    if (!(await hasTriggerTables(database.query))) return isNeeded ? everything : nothing;
    const owner = await triggerOwner(store.database, source.name);
    if (!isNeeded && wanted.inconsistent.size === 0) {
      return (await isLeftOver(database.query, owner)) ? everything : nothing;
    }
    const found = await differences(database.query, { owner, wanted });
    if (!isNeeded || migrated.has(database)) return found;
    return found.size === 0 ? unmigrated : new Map([...everything, ...found]);
  }

  interface Found {
    readonly snapshot: Snapshot;
    readonly wanted: WantedTriggers;
    readonly left: Differences;
    readonly except: ReadonlySet<string>;
  }

  /** Returns undefined where the metadata has changed: the next comparison follows. */
  async function repairAll(
    source: Source,
    database: Database,
    { snapshot: { mark }, wanted, left, except }: Found,
  ): Promise<Repair | undefined> {
    if ([...left.keys()].every((name) => except.has(name))) return noRepair;
    if ((await store.mark()).touched !== mark.touched) return undefined;
    const owner = await triggerOwner(store.database, source.name);
    if (wanted.triggers.size > 0) {
      const failure = await install(database);
      if (failure !== undefined) {
        return { ...noRepair, failures: new Map([...wanted.triggers.keys()].map((name) => [name, failure])) };
      }
      migrated.add(database);
    }
    const repair = await database.transaction(async (query) => {
      await lockOwner(query, owner, REPAIR_LOCK_MS);
      if (!(await isCurrent(mark, query, database))) return undefined;
      return reconcile(query, { owner, wanted, lockMs: REPAIR_LOCK_MS, except, tolerant: true });
    });
    for (const [name, trigger] of wanted.triggers) {
      if (repair === undefined || repair.failures.has(name) || except.has(name)) continue;
      if (left.get(name) !== 'outdated') continue;
      backoff.repaired({ source: source.name, name, hash: captureHash(trigger) });
    }
    return repair;
  }

  /**
   * Whether the metadata is that of the mark. Waits for a change under way, and leaves no lock: a later change of these triggers waits
   * for the lock of their owner.
   */
  async function isCurrent({ touched }: Mark, query: Query, database: Database): Promise<boolean> {
    const read = async (storeQuery: Query): Promise<boolean> => {
      await setLockTimeout(storeQuery, REPAIR_LOCK_MS);
      return (await store.lock(storeQuery)).touched === touched;
    };
    try {
      if (database !== store.database) return await store.database.transaction(read);
      await runStatement(query, sql`savepoint joinery_mark`);
      try {
        return await read(query);
      } finally {
        await runStatement(query, sql`rollback to savepoint joinery_mark`);
      }
    } catch (error) {
      // The node that changes the metadata compares afterwards.
      if (isLocked(error)) return false;
      throw error;
    }
  }

  async function reconcile(query: Query, reconciliation: Reconciliation): Promise<Repair> {
    if (!(await hasTriggerTables(query))) return noRepair;
    const { failures, isIncomplete, removeStored } = await reconcileTriggers(query, reconciliation);
    await removeStored();
    const { triggers, inconsistent } = reconciliation.wanted;
    if (triggers.size === 0 && inconsistent.size === 0) await removeTriggerTables(query);
    const isLate = [...failures.values()].some(({ code }) => code === 'concurrent-update');
    return { failures, isIncomplete: isIncomplete || isLate };
  }

  return {
    start: () => {
      started = true;
      run();
    },
    check: run,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Whether the next comparison may succeed. A source that is not reachable is an inconsistency already. */
function isPassing({ code }: ServiceError): boolean {
  return code === 'busy' || code === 'concurrent-update';
}

const repeatedErrors = new WeakSet<ServiceError>();

function repeatedError(): ServiceError {
  const message =
    'its condition or one of its columns fails for changed rows, also after its functions were created again; such changes are captured without the condition. Correct the trigger, or the rows';
  const error = new ServiceError('invalid-configuration', message);
  repeatedErrors.add(error);
  return error;
}

/** Returns the error that an administrator of the database can remove. */
async function install(database: Database): Promise<ServiceError | undefined> {
  try {
    await migrateSource(database);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid-configuration') return error;
    if (isPostgresError(error)) return new ServiceError('invalid-configuration', error.message, { cause: error });
    throw error;
  }
}
