/** What the parts of a simulation share: the time, the database, the state of the network and the log. */
import { createHash } from 'node:crypto';
import type { QueryResult, QueryRun } from '../../src/postgres/client/statement-run.ts';
import { EPOCH } from './node-process.ts';
import type { Scenario } from './scenario.ts';
import type { VirtualDatabase } from './virtual-database.ts';
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
  /** When its clock was set last; negative infinity if never. */
  clockSetAt(): number;
  /** Executes a statement of a node or a client at the present time. Rejects with errors of the server. */
  execute(run: QueryRun): Promise<QueryResult>;
  /** Whether the node reaches the database. */
  isReachable(node: number): boolean;
  /** Whether a connection of the node would have broken since that time. */
  brokeSince(node: number, since: number): boolean;
  partition(node: number, forMs: number): void;
  restartDatabase(forMs: number): void;
  isDatabaseUp(): boolean;
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
  let clockOffset = 0;
  let clockSetAt = Number.NEGATIVE_INFINITY;
  /** By the virtual time. The server has run for long at the start. */
  let startedAt = -1_000_000;

  function log(who: string, what: string): void {
    trace.push(`${time.now().toFixed(3)} ${who} ${what}`);
  }

  const concerns = (one: Interruption, node: number): boolean => one.node === undefined || one.node === node;
  const databaseNow = (): number => EPOCH + clockOffset + time.now();

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
      clockOffset += byMs;
      clockSetAt = time.now();
      log('database', `clock set by ${byMs} ms`);
    },
    clockSetAt: () => clockSetAt,
    execute: (run) => database.run(run, { nowMs: databaseNow(), startedMs: EPOCH + clockOffset + startedAt }),
    isReachable: (node) => !interruptions.some((one) => concerns(one, node) && one.to > time.now()),
    brokeSince: (node, since) => interruptions.some((one) => concerns(one, node) && one.to > since),
    partition(node, forMs) {
      interruptions.push({ node, from: time.now(), to: time.now() + forMs });
      log(`n${node}`, `does not reach the database for ${forMs} ms`);
    },
    restartDatabase(forMs) {
      interruptions.push({ node: undefined, from: time.now(), to: time.now() + forMs });
      startedAt = time.now() + forMs;
      log('database', `restarts for ${forMs} ms`);
    },
    isDatabaseUp: () => !interruptions.some((one) => one.node === undefined && one.to > time.now()),
  };
}

/** Returns a digest of the trace: equal digests mean that the same happened. */
export function digestOf(trace: readonly string[]): string {
  return createHash('sha256').update(trace.join('\n')).digest('hex').slice(0, 16);
}
