/**
 * The engine of work that nodes claim under leases, such as events to deliver and asynchronous actions to run: claims,
 * rejects starts without a valid lease, retries writes of outcomes, and drains at the stop. What is claimed, how it runs
 * and how its outcome is stored is the payload, which the settings provide.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Cancellation } from '../../base/cancellation.ts';
import type { FailureLog } from '../../base/failure-log.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { createLeaseKeeper } from './lease-keeper.ts';
import type { LeaseStore, LeaseTimes } from './leases.ts';

/** `Known` identifies a claimed item. */
export interface LeasedWorkSettings<Known> {
  readonly leases: LeaseStore;
  /** Written to the table of leases. */
  readonly node: string;
  readonly observe: Observe;
  readonly times?: LeaseTimes | undefined;
  /** Logs failed and recovered claims. */
  readonly failureLog: FailureLog;
  /** Releases the items claimed under the lease, except those in `known`. */
  readonly release: (lease: string, known: readonly Known[]) => Promise<void>;
  /** Releases the items of dead nodes and returns their number. */
  readonly sweep: () => Promise<number>;
  /** Returns all items that this node has claimed. */
  readonly known: () => readonly Known[];
  /** Whether an item claimed under the lease is running or has an unwritten outcome. */
  readonly inUse: (lease: string) => boolean;
  /** Called when there may be items to claim. */
  readonly onWork: () => void;
  /** Called when items claimed under the lease must not start any more. */
  readonly onLost?: (lease: string) => void;
  /** Stops claiming and releases the items that have not started. */
  readonly stopClaiming: () => Promise<void>;
  /** Resolves when no item is running. */
  readonly idle: () => Promise<unknown>;
  /** Resolves when all outcomes are written or abandoned. Called when running items were aborted. */
  readonly finish: () => Promise<unknown>;
  /** Milliseconds after running items were aborted in which outcomes are still written. */
  readonly lastWritesMs: number;
}

export interface LeasedWork {
  /** Aborts running items at the end of the drain; they get no outcome. */
  readonly cutOff: Cancellation;
  /** Whether the node is stopping: nothing is claimed any more. */
  stopping(): boolean;
  /** The lease to claim under; undefined while there is none that is certainly valid. */
  current(): string | undefined;
  /** Whether an item claimed under the lease may start now. Once false, it stays false. */
  mayStart(lease: string): boolean;
  /**
   * Reports that the database may have claims under this lease, or the current one, that this node does not know of. They
   * are released before the next claim.
   */
  suspect(lease: string): void;
  /**
   * Reports that a statement failed which claims or releases under this lease. Unless PostgreSQL has reported the error, the statement
   * may still take effect, and the lease is replaced.
   */
  failed(lease: string, error: unknown): void;
  /** Claims items under the current lease. Returns none without a lease, and when the claim failed. Must not run twice at a time. */
  claim<Item>(claim: (lease: string) => Promise<readonly Item[]>): Promise<Claimed<Item>>;
  /**
   * Writes an outcome: calls `write` until it resolves to `done`, with growing pauses after `later`. When outcomes are
   * abandoned, pauses end, and `write` must resolve to `done`.
   */
  untilWritten(write: (attempt: number) => Promise<WriteResult>): Promise<void>;
  /** Pauses for the longest time between two writes, or until outcomes are abandoned. */
  pauseWrites(): Promise<void>;
  /** Whether an outcome whose write fails is abandoned. */
  abandoned(): boolean;
  /** Acquires a lease. */
  start(): Promise<void>;
  /** Stops claiming, waits up to `drainMs` for running items, aborts the others, writes the outcomes and ends the lease. */
  stop(limit: { readonly drainMs: number }): Promise<void>;
}

export interface Claimed<Item> {
  readonly lease: string;
  readonly items: readonly Item[];
}

export type WriteResult = 'done' | 'again' | 'later';

const writePause = { shortestMs: 200, longestMs: 2_000 };

/** Creates the engine of one payload of a process. It is idle before `start`. */
export function createLeasedWork<Known>(settings: LeasedWorkSettings<Known>): LeasedWork {
  const { failureLog } = settings;
  const cutOff = new Cancellation();
  const abandoning = new AbortController();
  /** Leases under which the database may have claims that this node does not know of. */
  const suspects = new Set<string>();
  let stopping = false;

  const keeper = createLeaseKeeper({
    leases: settings.leases,
    node: settings.node,
    observe: settings.observe,
    times: settings.times,
    free: (lease) => settings.release(lease, []),
    sweep: settings.sweep,
    inUse: settings.inUse,
    onWork: settings.onWork,
    onLost: (lease) => {
      suspects.add(lease);
      settings.onLost?.(lease);
    },
  });

  function suspect(lease: string): void {
    suspects.add(lease).add(keeper.current() ?? lease);
  }

  async function releaseUnknown(): Promise<void> {
    for (const lease of [...suspects]) {
      // Removed first: the lease may become suspect again while the statement runs.
      suspects.delete(lease);
      try {
        await settings.release(lease, settings.known());
      } catch (error) {
        suspects.add(lease);
        throw error;
      }
    }
  }

  async function claim<Item>(claimItems: (lease: string) => Promise<readonly Item[]>): Promise<Claimed<Item>> {
    const lease = keeper.current();
    if (lease === undefined) return { lease: '', items: [] };
    try {
      await releaseUnknown();
      const items = await claimItems(lease);
      failureLog.recovered();
      return { lease, items };
    } catch (error) {
      failed(lease, error);
      failureLog.failed(error);
      return { lease, items: [] };
    }
  }

  function failed(lease: string, error: unknown): void {
    suspects.add(lease);
    if (!isPostgresError(error)) keeper.suspect(lease);
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: abandoning.signal }).catch(() => undefined);
  }

  return {
    cutOff,
    stopping: () => stopping,
    current: keeper.current,
    mayStart: keeper.holds,
    suspect,
    failed,
    claim,
    async untilWritten(write) {
      let pauseMs = writePause.shortestMs;
      for (let attempt = 1; ; attempt += 1) {
        const result = await write(attempt);
        if (result === 'done') return;
        if (result === 'again') continue;
        await pause(pauseMs);
        pauseMs = Math.min(pauseMs * 2, writePause.longestMs);
      }
    },
    pauseWrites: () => pause(writePause.longestMs),
    abandoned: () => abandoning.signal.aborted,
    start: async () => {
      if (!stopping) await keeper.start();
    },
    async stop({ drainMs }) {
      stopping = true;
      await settings.stopClaiming();
      const drained = new AbortController();
      const limit = sleep(drainMs, undefined, { signal: drained.signal }).catch(() => undefined);
      await Promise.race([settings.idle(), limit]);
      drained.abort();
      cutOff.abort();
      const abandon = setTimeout(() => abandoning.abort(), settings.lastWritesMs);
      await settings.finish();
      clearTimeout(abandon);
      await keeper.stop();
    },
  };
}
