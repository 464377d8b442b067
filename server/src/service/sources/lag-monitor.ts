/** Measures the lag of the replicas of one source at an interval, without comparing clocks of servers. */
import { type Cancellation, withinMs } from '../../base/cancellation.ts';
import { createPeriodicTask } from '../../base/periodic-task.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { PositionHistory } from './position-history.ts';
import { readReplayed, readWritten, type WalPosition } from './wal-position.ts';

export interface MonitoredReplica {
  readonly database: Database;
  /** For the log and metrics: `host:port`. */
  readonly name: string;
  /** Undefined: used whatever its lag is. */
  readonly maxLagMs: number | undefined;
}

export interface ReplicaState {
  readonly name: string;
  /** Seconds since the newest moment whose commits the replica shows; undefined where that is unknown. */
  readonly lag: number | undefined;
  readonly inUse: boolean;
}

export interface LagMonitor {
  /** Whether queries may use the replica with this index now. */
  isFresh(index: number): boolean;
  states(): readonly ReplicaState[];
  stop(): void;
}

export interface LagMonitorOptions {
  readonly source: string;
  readonly primary: Database;
  readonly replicas: readonly MonitoredReplica[];
  readonly observe: Observe;
}

/** Milliseconds between measurements: a quarter of the smallest maximum lag, within these limits. */
const SHORTEST_MS = 250;
const LONGEST_MS = 1_000;
/** A measurement that takes longer has failed. */
const TIMEOUT_MS = 2_000;

interface Measured {
  readonly replica: MonitoredReplica;
  /** The newest moment whose commits the replica shows. */
  freshAt: number | undefined;
  failure: string | undefined;
  /** Undefined until the replica has had the time to be measured. */
  usable: boolean | undefined;
}

/** Starts measuring. The first results arrive later; until then no replica with a maximum lag is fresh. */
export function startLagMonitor({ source, primary, replicas, observe }: LagMonitorOptions): LagMonitor {
  const history = new PositionHistory();
  const startedAt = performance.now();
  const all = replicas.map(
    (replica): Measured => ({ replica, freshAt: undefined, failure: undefined, usable: undefined }),
  );
  const limits = replicas.flatMap(({ maxLagMs }) => maxLagMs ?? []);
  const everyMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.min(...limits) / 4));
  let primaryFailure: string | undefined;

  async function readPrimary(): Promise<void> {
    const at = performance.now();
    try {
      history.add(await timed((signal) => readWritten(primary, { signal })), at);
      primaryFailure = undefined;
    } catch (error) {
      primaryFailure = messageOf(error);
    }
  }

  async function readReplica(one: Measured): Promise<void> {
    try {
      const position = await timed((signal) => readReplayed(one.replica.database, { signal }));
      one.freshAt = history.reachedAt(position);
      one.failure = differenceOf(position, history.last);
    } catch (error) {
      one.failure = messageOf(error);
    }
    report(one);
  }

  function report(one: Measured): void {
    const { replica, usable } = one;
    if (replica.maxLagMs === undefined) return;
    const fresh = isFresh(one);
    if (fresh === usable || (!fresh && usable === undefined && performance.now() - startedAt < replica.maxLagMs))
      return;
    one.usable = fresh;
    if (fresh && usable === undefined) return;
    const limit = `max_lag is ${replica.maxLagMs / 1000} s`;
    const where = `source "${source}"`;
    if (fresh) {
      const message = `queries use the replica ${replica.name} again: its lag is ${lagText(one)}`;
      observe({ kind: 'note', level: 'info', where, message });
      return;
    }
    const cause = one.failure ?? primaryFailure;
    const message = `queries do not use the replica ${replica.name}: its lag is ${lagText(one)}, ${limit}${cause === undefined ? '' : `; ${cause}`}`;
    observe({ kind: 'note', level: 'warn', where, message });
  }

  function lagMs({ freshAt }: Measured): number | undefined {
    return freshAt === undefined ? undefined : performance.now() - freshAt;
  }

  function lagText(one: Measured): string {
    const ms = lagMs(one);
    return ms === undefined ? 'unknown' : `${(ms / 1000).toFixed(1)} s`;
  }

  function isFresh(one: Measured): boolean {
    const { maxLagMs } = one.replica;
    if (maxLagMs === undefined) return true;
    const ms = lagMs(one);
    return ms !== undefined && ms <= maxLagMs;
  }

  const tasks = [
    createPeriodicTask(readPrimary, everyMs),
    ...all.map((one) => createPeriodicTask(() => readReplica(one), everyMs)),
  ];
  for (const task of tasks) void task.start();
  return {
    isFresh: (index) => {
      const one = all[index];
      return one !== undefined && isFresh(one);
    },
    states: () =>
      all.map((one) => {
        const ms = lagMs(one);
        return { name: one.replica.name, lag: ms === undefined ? undefined : ms / 1000, inUse: isFresh(one) };
      }),
    stop: () => {
      for (const task of tasks) void task.stop();
    },
  };
}

function timed<T>(work: (signal: Cancellation) => Promise<T>): Promise<T> {
  return withinMs(TIMEOUT_MS, () => new Error(`no response within ${TIMEOUT_MS / 1000} s`), work);
}

/** Why a position cannot be compared with that of the primary; undefined where it can. */
function differenceOf(replica: WalPosition, primary: WalPosition | undefined): string | undefined {
  if (primary === undefined) return undefined;
  if (replica.cluster !== primary.cluster) return 'it is no standby of the primary';
  if (replica.timeline === primary.timeline) return undefined;
  return `it has followed the primary to timeline ${replica.timeline}, and the primary is on timeline ${primary.timeline}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
