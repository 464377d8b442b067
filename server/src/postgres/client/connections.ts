/** The connections of a pool: reuses idle ones, opens more up to the limit, queues callers beyond it. */

import { type Cancellation, cancellationError } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import { everySecond } from '../../base/second-ticker.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { type Connection, type Connector, closeConnection } from './connection.ts';
import { isAlive } from './liveness.ts';
import { longestShortMs } from './short-statements.ts';
import { createShares, type Share, Waiter } from './waiters.ts';
import type { Watchdog } from './watchdog.ts';

export interface PoolStats {
  /** Open connections, including those being opened. */
  readonly total: number;
  readonly idle: number;
  /** Callers waiting for a connection. */
  readonly waiting: number;
  readonly size: number;
  /** Statements so far that were sent while another one was in flight on their connection. */
  readonly pipelined: number;
}

export interface Connections {
  /** Returns an idle connection that `role` may use, synchronously; undefined where there is none. */
  take(role?: string): Connection | undefined;
  /**
   * Returns the connection with the fewest statements that short ones of the same share use and that may take another one,
   * synchronously; undefined where there is none, or where others wait.
   */
  takeShared(role?: string): Connection | undefined;
  /**
   * Waits for a connection. Rejects with `busy` after the limit, or with the error of `signal`. `role`: undefined for the
   * service. `shares`: whether other short statements may use it too.
   */
  acquire(role?: string, signal?: Cancellation, shares?: boolean): Promise<Connection>;
  /** Lets other short statements use a connection that was taken. */
  share(connection: Connection): void;
  /** Returns a connection to the pool, or its slot where other statements use it. The server must be ready for the next one. */
  release(connection: Connection): void;
  /** Closes a connection instead of returning it to the pool. */
  discard(connection: Connection): void;
  /** Closes idle connections. */
  discardIdle(): void;
  stats(): Omit<PoolStats, 'pipelined'>;
  /** Waits for running and queued statements, then closes all connections. */
  close(): Promise<void>;
}

/** Limits in seconds. */
export interface PoolLimits {
  /** How long a caller waits for a connection. Default 30. */
  readonly wait?: number;
  /** How long an idle connection stays open. Default 60. */
  readonly idle?: number;
  /** Age at which a connection is replaced. Default 1800. */
  readonly lifetime?: number;
}

/** Seconds between checks of an idle connection. */
const checkEvery = 3;

const defaults: Required<PoolLimits> = { wait: 30, idle: 60, lifetime: 1800 };

export interface ConnectionsSettings {
  readonly connector: Connector;
  /** Maximum number of connections. */
  readonly size: number;
  /** Maximum percentage of the connections for one role; see `createShares`. */
  readonly roleShare: number;
  /** Maximum short statements in flight on one connection; 1 for none beside another. */
  readonly pipelineDepth: number;
  readonly watchdog: Watchdog;
  readonly observe: Observe;
  readonly limits: PoolLimits | undefined;
}

export function createConnections(settings: ConnectionsSettings): Connections {
  const { connector, size, pipelineDepth, watchdog, observe } = settings;
  const limits = { ...defaults, ...settings.limits };
  const idle: Connection[] = [];
  const inUse = new Map<Connection, Share>();
  /** Those in use that further short statements may use. */
  const shared = new Set<Connection>();
  const shares = createShares(size, settings.roleShare, watchdog);
  /** Connections being checked, which are neither idle nor in use. */
  let checking = 0;
  let total = 0;
  let opening = 0;
  let closing: (() => void) | undefined;
  let closed: Promise<void> | undefined;
  let clock = 0;
  const stopTicks = everySecond(tick);

  function take(role?: string): Connection | undefined {
    const share = shares.of(role);
    return closed === undefined && shares.admits(share) ? use(idle.pop(), share) : undefined;
  }

  function takeShared(role?: string): Connection | undefined {
    if (shared.size === 0 || closed !== undefined) return undefined;
    const share = shares.of(role);
    if (share.waiters.length > 0) return undefined;
    const now = performance.now();
    let found: Connection | undefined;
    for (const connection of shared) {
      if (inUse.get(connection) !== share || !hasRoom(connection, now)) continue;
      if (found === undefined || connection.users < found.users) found = connection;
    }
    if (found !== undefined) found.users += 1;
    if (opening === 0 && shares.admits(share)) grow(1);
    return found;
  }

  /** Whether the statements on a shared connection are as short as they were. */
  function hasRoom({ users, canceling, progressAt }: Connection, now: number): boolean {
    return users < pipelineDepth && canceling === undefined && now - progressAt < longestShortMs;
  }

  function share(connection: Connection): void {
    // A pooler may assign another connection to the server to each transaction.
    if (pipelineDepth > 1 && !connection.pooled) shared.add(connection);
  }

  function use(connection: Connection | undefined, share: Share): Connection | undefined {
    if (connection === undefined) return undefined;
    connection.users = 1;
    inUse.set(connection, share);
    shares.begin(share);
    return connection;
  }

  function unuse(connection: Connection): void {
    shared.delete(connection);
    const share = inUse.get(connection);
    if (share === undefined) return;
    shares.end(share);
    inUse.delete(connection);
  }

  function acquire(role?: string, signal?: Cancellation, mayShare = false): Promise<Connection> {
    if (closed !== undefined) return Promise.reject(new ServiceError('busy', 'the service is shutting down'));
    if (signal?.aborted) return Promise.reject(cancellationError(signal));
    const free = take(role);
    if (free !== undefined) return Promise.resolve(free);
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(clock, signal, mayShare, resolve, reject);
      const share = shares.of(role);
      shares.wait(share, waiter);
      if (signal !== undefined) watchdog.watch(waiter);
      if (shares.admits(share)) grow();
    });
  }

  /** Assigns idle connections to waiting callers. */
  function assignIdle(): void {
    while (idle.length > 0) {
      const next = shares.next();
      const connection = next && idle.pop();
      if (next === undefined || connection === undefined) return;
      use(connection, next[1]);
      next[0].resolve(connection);
    }
  }

  /** Opens a connection where fewer are being opened than `wanted`. */
  function grow(wanted = shares.waiting()): void {
    if (total >= size || opening >= wanted) return;
    total += 1;
    opening += 1;
    connector.open(clock, lost).then(
      (connection) => {
        opening -= 1;
        if (!connection.closed) free(connection);
      },
      (error: unknown) => {
        opening -= 1;
        total -= 1;
        openFailed(error);
      },
    );
  }

  /** Rejects all waiting callers where the pool has no connections. Otherwise they wait for those. */
  function openFailed(error: unknown): void {
    if (total - opening === 0) for (const waiter of shares.expire(Number.POSITIVE_INFINITY)) waiter.reject(error);
    else if (shares.waiting() > 0) observe({ kind: 'failure', where: 'database pool', error });
    settle();
  }

  function lost(connection: Connection): void {
    total -= 1;
    unuse(connection);
    const index = idle.indexOf(connection);
    if (index !== -1) idle.splice(index, 1);
    if (shares.waiting() > 0) {
      assignIdle();
      grow();
    }
    settle();
  }

  function release(connection: Connection): void {
    if (connection.closed) return;
    connection.users -= 1;
    if (connection.users > 0) refill(connection);
    else free(connection);
  }

  /** Gives the free slots of a shared connection to callers that may share it. */
  function refill(connection: Connection): void {
    const share = inUse.get(connection);
    if (share === undefined || !shared.has(connection)) return;
    const now = performance.now();
    while (hasRoom(connection, now)) {
      const waiter = shares.nextSharing(share);
      if (waiter === undefined) return;
      connection.users += 1;
      waiter.resolve(connection);
    }
  }

  function free(connection: Connection): void {
    if (connection.closed) return;
    unuse(connection);
    const next = shares.next();
    if (next !== undefined) {
      use(connection, next[1]);
      next[0].resolve(connection);
      return;
    }
    if (closing !== undefined || clock - connection.openedAt > limits.lifetime) {
      discard(connection);
      return;
    }
    connection.idleSince = clock;
    connection.checkedAt = clock;
    idle.push(connection);
  }

  async function check(connection: Connection): Promise<void> {
    checking += 1;
    const alive = await isAlive(connection);
    checking -= 1;
    if (!alive || shares.waiting() > 0 || closing !== undefined) {
      if (alive) free(connection);
      else discard(connection);
      return;
    }
    connection.checkedAt = clock;
    // Keeps the order by last use.
    const next = idle.findIndex((one) => one.idleSince > connection.idleSince);
    idle.splice(next === -1 ? idle.length : next, 0, connection);
  }

  function discard(connection: Connection): void {
    if (connection.closed) return;
    connection.closed = true;
    closeConnection(connection);
    lost(connection);
  }

  function discardIdle(): void {
    for (const connection of idle.splice(0)) discard(connection);
  }

  function tick(): void {
    clock += 1;
    // Connections are ordered by last use.
    while (idle[0] !== undefined && clock - idle[0].idleSince > limits.idle) discard(idle[0]);
    const unchecked = idle.filter(({ checkedAt }) => clock - checkedAt >= checkEvery);
    for (const connection of unchecked) {
      idle.splice(idle.indexOf(connection), 1);
      void check(connection);
    }
    for (const waiter of shares.expire(clock - limits.wait)) {
      waiter.reject(new ServiceError('busy', 'every connection to the database is in use; try again'));
    }
  }

  function settle(): void {
    if (closing !== undefined && total === 0 && shares.waiting() === 0) closing();
  }

  function close(): Promise<void> {
    closed ??= new Promise((resolve) => {
      closing = () => {
        stopTicks();
        resolve();
      };
      discardIdle();
      settle();
    });
    return closed;
  }

  return {
    take,
    takeShared,
    acquire,
    share,
    release,
    discard,
    discardIdle,
    stats: () => ({ total, idle: idle.length + checking, waiting: shares.waiting(), size }),
    close,
  };
}
