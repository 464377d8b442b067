/** Detects connections that have lost their server, and distinguishes them from slow statements. */

import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import { isPostgresError } from '../sql/errors.ts';
import { printStatement } from '../sql/rows.ts';
import { sql, value } from '../sql/sql.ts';
import { type Connection, type Connector, closeConnection } from './connection.ts';
import { hasReplaced } from './server-info.ts';
import { runOn } from './statement-run.ts';

/** A statement without a response so far. */
export interface Suspect {
  readonly connection: Connection;
  /** Returns the number of characters sent. */
  size(): number;
  /** Called when the connection received bytes, or the server is executing the statement. */
  confirm(now: number): void;
}

export interface Liveness {
  /** Examines the connection of `suspect` until `clear`. */
  suspect(suspect: Suspect): void;
  clear(suspect: Suspect): void;
}

export interface LivenessSettings {
  readonly connector: Connector;
  /** Closes a connection regardless of its statement. */
  readonly discard: (connection: Connection) => void;
  /** Closes the idle connections of the pool. */
  readonly discardIdle: () => void;
}

/** Milliseconds without a response after which a statement is suspected. */
export const silenceMs = 2_000;

const limits = {
  /** Milliseconds between examinations, and before the one that confirms a loss. */
  interval: 1_000,
  confirmation: 100,
  /** Milliseconds to open the probe connection, and for each of its statements. */
  probe: 3_000,
  /** Milliseconds without a successful connection after which all suspects are lost. */
  unreachable: 15_000,
  /** Behind a pooler: milliseconds after an outage after which a statement without a response is lost. */
  settle: 3_000,
  /** Characters per millisecond of a slow network. */
  rate: 500,
};

interface Examined {
  /** Bytes received on the connection at the last examination. */
  bytes: number;
  readonly since: number;
  /** Consecutive examinations that found that the server does not execute the statement. */
  strikes: number;
  /** Whether no new connection could be opened at some time since. */
  sawOutage: boolean;
}

/**
 * While a statement has no response, a separate connection requests from the server what the process of the suspected connection
 * does. A statement that the server does not work on, found twice without a byte received in between, has lost its
 * connection. If that is impossible (behind a pooler), only an outage of the network gives up statements.
 */
export function createLiveness({ connector, discard, discardIdle }: LivenessSettings): Liveness {
  const suspects = new Map<Suspect, Examined>();
  let running = false;
  let probe: Connection | undefined;
  let failingSince: number | undefined;
  let reachableSince = 0;

  async function run(): Promise<void> {
    running = true;
    while (suspects.size > 0) {
      const soon = await examine();
      await sleep(soon ? limits.confirmation : limits.interval, undefined, { ref: false });
    }
    running = false;
    closeProbe();
  }

  function closeProbe(): void {
    if (probe !== undefined) closeConnection(probe);
    probe = undefined;
    failingSince = undefined;
  }

  /** Resolves to true where the next examination confirms a loss. */
  async function examine(): Promise<boolean> {
    const states = await readStates();
    if (states === undefined || probe === undefined) return false;
    const now = performance.now();
    let soon = false;
    for (const [suspect, examined] of suspects) {
      const bytes = suspect.connection.wire.bytesReceived;
      if (bytes !== examined.bytes) {
        examined.bytes = bytes;
        examined.strikes = 0;
        suspect.confirm(now);
        continue;
      }
      const found = classify(suspect.connection, probe, states);
      examined.strikes = found === 'lost' ? examined.strikes + 1 : 0;
      if (found === 'working') suspect.confirm(now);
      // The network may still be sending the statement.
      if (now - examined.since < suspect.size() / limits.rate) continue;
      const isStranded = found === 'unknown' && examined.sawOutage && now - reachableSince > limits.settle;
      if (examined.strikes >= 2 || isStranded) lose(suspect);
      else if (examined.strikes === 1) soon = true;
    }
    return soon;
  }

  function lose(suspect: Suspect): void {
    suspects.delete(suspect);
    discard(suspect.connection);
    discardIdle();
  }

  /** Returns the states of the server processes by process id; undefined when the server is unreachable. */
  async function readStates(): Promise<ReadonlyMap<number, string> | undefined> {
    try {
      probe ??= await connector.open(0, () => undefined, limits.probe);
      const pids = [...suspects.keys()].map(({ connection }) => connection.server?.pid ?? 0);
      const states = probe.pooled
        ? new Map<number, string>()
        : await within(probe, limits.probe, statesOf(probe, pids));
      if (failingSince !== undefined) reachableSince = performance.now();
      failingSince = undefined;
      return states;
    } catch (error) {
      if (probe !== undefined) closeConnection(probe);
      probe = undefined;
      // An error that the server returned is not an outage.
      const cause = error instanceof ServiceError ? error.cause : error;
      if (!isPostgresError(cause)) outage();
      return undefined;
    }
  }

  function outage(): void {
    const now = performance.now();
    failingSince ??= now;
    const isLong = now - failingSince > limits.unreachable;
    for (const [suspect, examined] of suspects) {
      examined.sawOutage = true;
      if (isLong) lose(suspect);
    }
  }

  return {
    suspect(suspect) {
      const bytes = suspect.connection.wire.bytesReceived;
      suspects.set(suspect, { bytes, since: performance.now(), strikes: 0, sawOutage: false });
      if (!running) void run();
    },
    clear: (suspect) => {
      suspects.delete(suspect);
    },
  };
}

async function statesOf(probe: Connection, pids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const statement = sql`select pid, coalesce(state, 'unknown') as state
    from pg_catalog.pg_stat_activity where pid = any(${value(pids)})`;
  const { rows } = await runOn(probe.wire, printStatement(statement));
  return new Map(rows.map(([pid, state]) => [Number(pid), state ?? 'unknown']));
}

function classify(
  { pooled, server }: Connection,
  probe: Connection,
  states: ReadonlyMap<number, string>,
): 'working' | 'lost' | 'unknown' {
  const own = server?.identity;
  const other = probe.server?.identity;
  if (pooled || server === undefined || own === undefined || other === undefined) return 'unknown';
  if (own.startedAt !== other.startedAt) return hasReplaced(other, own) ? 'lost' : 'unknown';
  const state = states.get(server.pid);
  if (state === undefined || state.startsWith('idle')) return 'lost';
  return state === 'active' || state === 'fastpath function call' ? 'working' : 'unknown';
}

/** Whether an idle connection responds. Closes its socket where it does not. */
export async function isAlive(connection: Connection): Promise<boolean> {
  try {
    await within(connection, limits.probe, runOn(connection.wire, { text: 'select 1' }));
    return !connection.closed;
  } catch {
    return false;
  }
}

/** Closes the socket, which rejects `work`, after `ms`. */
async function within<T>(connection: Connection, ms: number, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => closeConnection(connection, 0), ms);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
