/** What the parts of a simulation share: the time, the database, the state of the network and the log. */
import { createHash } from 'node:crypto';
import type { QueryResult, QueryRun } from '../../../src/postgres/client/statement-run.ts';
import { EPOCH } from './node-process.ts';
import type { Scenario } from './scenario.ts';
import type { DatabaseTime, VirtualDatabase } from './virtual-database.ts';
import { createVirtualTime, type VirtualTime } from './virtual-time.ts';

export interface World {
  readonly scenario: Scenario;
  readonly time: VirtualTime;
  readonly trace: string[];
  /** Rules that were broken. The first one ends the simulation. */
  readonly violations: string[];
  /** Writes a line of the trace. */
  log(who: string, what: string): void;
  violate(message: string): void;
  /** Milliseconds since 1970 by the clock of the database. */
  databaseNow(): number;
  /** Sets the clock of the database forward, or back. */
  setClock(byMs: number): void;
  /** Calls `listener` when the clock was set, with milliseconds since 1970. */
  onClockSet(listener: (from: number, to: number) => void): void;
  /** When its clock was set last; negative infinity if never. */
  clockSetAt(): number;
  /** When the leases in the database were last changed by its clock or by a failover that lost commits; negative infinity if never. */
  leasesChangedAt(): number;
  /** Executes a statement of a node or a client at the present time. Rejects with errors of the server. */
  execute(run: QueryRun): Promise<QueryResult>;
  /** Executes a statement on the connection of a client. */
  executeAs(client: number, run: QueryRun): Promise<QueryResult>;
  /** Whether the node reaches the database. */
  isReachable(node: number): boolean;
  /** Whether a connection of the node would have broken since that time. */
  brokeSince(node: number, since: number): boolean;
  partition(node: number, forMs: number): void;
  restartDatabase(forMs: number): void;
  isDatabaseUp(): boolean;
  /** Saves the state that a failover with a loss restores. */
  save(): Promise<void>;
  /** Another server takes over after `forMs`: without the commits since `save`, if `losesCommits`. */
  failOver(forMs: number, losesCommits: boolean): Promise<void>;
  /** When another server took over last; negative infinity if never. */
  failedOverAt(): number;
  /** Whether a failover has lost what was committed at that time. */
  isLost(committedAt: number): boolean;
}

interface Interruption {
  /** Undefined for all nodes. */
  readonly node: number | undefined;
  readonly from: number;
  readonly to: number;
}

export function createWorld(scenario: Scenario, database: VirtualDatabase): World {
  const time = createVirtualTime();
  const trace: string[] = [];
  const violations: string[] = [];
  const interruptions: Interruption[] = [];
  const losses: { readonly from: number; readonly to: number }[] = [];
  const clockListeners: ((from: number, to: number) => void)[] = [];
  let clockOffset = 0;
  let clockSetAt = Number.NEGATIVE_INFINITY;
  let failedOverAt = Number.NEGATIVE_INFINITY;
  let savedAt = Number.NEGATIVE_INFINITY;
  let timeline = 1;
  /** Milliseconds since 1970. The server has run for long at the start. */
  let startedMs = EPOCH - 1_000_000;

  function log(who: string, what: string): void {
    trace.push(`${time.now().toFixed(3)} ${who} ${what}`);
  }

  const concerns = (one: Interruption, node: number): boolean => one.node === undefined || one.node === node;
  const databaseNow = (): number => EPOCH + clockOffset + time.now();
  const databaseTime = (): DatabaseTime => {
    return { nowMs: databaseNow(), startedMs, timeline };
  };

  function interrupt(forMs: number): void {
    interruptions.push({ node: undefined, from: time.now(), to: time.now() + forMs });
    startedMs = databaseNow() + forMs;
  }

  return {
    scenario,
    time,
    trace,
    violations,
    log,
    violate(message) {
      violations.push(message);
      log('!', message);
    },
    databaseNow,
    setClock(byMs) {
      const from = databaseNow();
      clockOffset += byMs;
      for (const listener of clockListeners) listener(from, databaseNow());
      clockSetAt = time.now();
      log('database', `clock set by ${byMs} ms`);
    },
    onClockSet(listener) {
      clockListeners.push(listener);
    },
    clockSetAt: () => clockSetAt,
    leasesChangedAt: () => Math.max(clockSetAt, losses.at(-1)?.to ?? Number.NEGATIVE_INFINITY),
    execute: (run) => database.run(run, databaseTime()),
    executeAs: (client, run) => database.runAs(client, run, databaseTime()),
    isReachable: (node) => !interruptions.some((one) => concerns(one, node) && one.to > time.now()),
    brokeSince: (node, since) => interruptions.some((one) => concerns(one, node) && one.to > since),
    partition(node, forMs) {
      interruptions.push({ node, from: time.now(), to: time.now() + forMs });
      log(`n${node}`, `does not reach the database for ${forMs} ms`);
    },
    restartDatabase(forMs) {
      interrupt(forMs);
      log('database', `restarts for ${forMs} ms`);
    },
    isDatabaseUp: () => !interruptions.some((one) => one.node === undefined && one.to > time.now()),
    async save() {
      await database.save();
      savedAt = time.now();
      log('database', 'is copied for the last time before a failover');
    },
    async failOver(forMs, losesCommits) {
      interrupt(forMs);
      timeline += 1;
      failedOverAt = time.now();
      log('database', `fails over for ${forMs} ms${losesCommits ? ' and loses the last commits' : ''}`);
      if (!losesCommits) return;
      losses.push({ from: savedAt, to: time.now() });
      await database.restore();
    },
    failedOverAt: () => failedOverAt,
    isLost: (committedAt) => losses.some(({ from, to }) => committedAt >= from && committedAt <= to),
  };
}

/** Returns a digest of the trace: equal digests mean that the same happened. */
export function digestOf(trace: readonly string[]): string {
  return createHash('sha256').update(trace.join('\n')).digest('hex').slice(0, 16);
}
