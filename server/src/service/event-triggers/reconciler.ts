/**
 * Repairs the triggers in the databases of sources where they differ from the metadata: after a start, after a change by another node,
 * when a source is reachable again, when a table or a trigger was changed without the service, and after a change that failed at its
 * commit. One node at a time does so, under the lock of the metadata, so that the metadata cannot change meanwhile.
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
import { wantedTriggers } from './apply.ts';
import { triggerOwner } from './owner.ts';
import {
  differs,
  hasTriggerTables,
  isLeftOver,
  type Reconciliation,
  reconcileTriggers,
  removeTriggerTables,
  type TriggerFailures,
} from './reconcile.ts';

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
/** Intervals after which a repair that changed nothing is made again. */
const INTERVALS_UNTIL_AGAIN = 6;

const INSUFFICIENT_PRIVILEGE = '42501';

const noFailures: TriggerFailures = new Map();

/** One for each process. Nothing happens before `start`. */
export function createTriggerReconciler({ tools, current, refresh, report }: ReconcilerOptions): TriggerReconciler {
  const { store, sources, observe } = tools;
  const failureLog = createFailureLog(observe, 'reconciliation of event triggers');
  const intervalMs = tools.reconcileMs ?? DEFAULT_INTERVAL_MS;
  /** The sources whose tables were migrated by this process. */
  const migrated = new WeakSet<Database>();
  const againMs = INTERVALS_UNTIL_AGAIN * intervalMs;
  const repaired = new Map<SourceName, { readonly touched: string; readonly at: number }>();
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
      const isExpected =
        one.status === 'fulfilled' || (one.reason instanceof ServiceError && one.reason.code === 'busy');
      if (!isExpected) throw one.reason;
    }
  }

  async function compare(source: Source): Promise<void> {
    const database = sources.of(source);
    const different = await isDifferent(source, database, current().state).catch((error: unknown) => {
      // The repair reports what the role may not do.
      if (isPostgresError(error) && error.code === INSUFFICIENT_PRIVILEGE) return true;
      throw error;
    });
    if (!different) return;
    // The same difference is left by each repair where a trigger cannot be created or its condition fails for each event.
    const last = repaired.get(source.name);
    if (last !== undefined && last.touched === current().mark.touched && performance.now() - last.at < againMs) return;
    // The tables may have changed since the catalog was read.
    await refresh(source);
    const snapshot = current();
    const failures = await repair(source, database, snapshot);
    if (failures === undefined) return;
    repaired.set(source.name, { touched: snapshot.mark.touched, at: performance.now() });
    const known = snapshot.state.external.captureFailures;
    await report(snapshot.state, new Map([...(known ?? []), [source.name, failures]]));
  }

  async function isDifferent(source: Source, database: Database, state: State): Promise<boolean> {
    const wanted = wantedTriggers(state, source.name);
    if (wanted === undefined) return false;
    const isNeeded = wanted.triggers.size > 0;
    if (!(await hasTriggerTables(database.query))) return isNeeded;
    const owner = await triggerOwner(store.database, source.name);
    if (!isNeeded && wanted.inconsistent.size === 0) return isLeftOver(database.query, owner);
    return (isNeeded && !migrated.has(database)) || differs(database.query, { owner, wanted });
  }

  /** Returns undefined where the metadata has changed or another session locks a table: the next comparison follows. */
  async function repair(
    source: Source,
    database: Database,
    { state, mark }: Snapshot,
  ): Promise<TriggerFailures | undefined> {
    const wanted = wantedTriggers(state, source.name);
    if (wanted === undefined) return undefined;
    const owner = await triggerOwner(store.database, source.name);
    if (wanted.triggers.size > 0) {
      const failure = await install(database);
      if (failure !== undefined) return new Map([...wanted.triggers.keys()].map((name) => [name, failure]));
      migrated.add(database);
    }
    return store.database.transaction(async (storeQuery) => {
      const locked = await store.lock(storeQuery);
      if (locked.touched !== mark.touched) return undefined;
      const work = (query: Query): Promise<TriggerFailures> => reconcile(query, { owner, wanted, tolerant: true });
      return database === store.database ? work(storeQuery) : database.transaction(work);
    });
  }

  async function reconcile(query: Query, reconciliation: Reconciliation): Promise<TriggerFailures> {
    if (!(await hasTriggerTables(query))) return noFailures;
    // Writers of the tables wait behind a lock that is waited for.
    await runStatement(query, sql`set local lock_timeout = '500ms'`);
    const failures = await reconcileTriggers(query, reconciliation);
    const { triggers, inconsistent } = reconciliation.wanted;
    if (triggers.size === 0 && inconsistent.size === 0) await removeTriggerTables(query);
    return failures;
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
