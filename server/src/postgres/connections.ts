/** The connections of one database: hands out idle ones, opens more up to the limit, lets callers wait in line. */
import { ServiceError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import type { Connection, Connector } from './connection.ts';
import type { Cancellation } from './statement-run.ts';
import type { Watchdog, Watched } from './watchdog.ts';

export interface PoolStats {
  /** Open connections, those being opened among them. */
  readonly total: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  readonly size: number;
}

export interface Connections {
  /** An idle connection, if there is one: the way without a promise. */
  take(): Connection | undefined;
  /** Waits for a connection. Throws `busy` when none comes, or the signal's error. */
  acquire(signal?: Cancellation): Promise<Connection>;
  /** Gives a connection back; the server must be ready for the next statement. */
  release(connection: Connection): void;
  /** Closes a connection instead of giving it back. */
  discard(connection: Connection): void;
  stats(): PoolStats;
  /** Lets what runs or waits finish, then closes everything. */
  close(): Promise<void>;
}

class Waiter implements Watched {
  /** Seconds of the pool's clock. */
  readonly since: number;
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
  private readonly signal: Cancellation | undefined;
  /** True when the caller has given up; it has been told. */
  gone = false;

  constructor(since: number, signal: Cancellation | undefined, resolve: Waiter['resolve'], reject: Waiter['reject']) {
    this.since = since;
    this.signal = signal;
    this.resolve = resolve;
    this.reject = reject;
  }

  look(): void {
    if (this.gone || !this.signal?.aborted) return;
    this.gone = true;
    this.reject(abortError(this.signal));
  }
}

/** Seconds. What is left out is as usual. */
export interface PoolLimits {
  /** How long a caller waits for a connection: 30. */
  readonly wait?: number;
  /** How long a connection that nobody uses stays open: 60. */
  readonly idle?: number;
  /** After so long a connection is replaced: 1800. */
  readonly lifetime?: number;
}

const usual: Required<PoolLimits> = { wait: 30, idle: 60, lifetime: 1800 };

/** `size`: connections at most. */
export function createConnections(
  connector: Connector,
  size: number,
  watchdog: Watchdog,
  observe: Observe,
  own: PoolLimits = {},
): Connections {
  const limits = { ...usual, ...own };
  const idle: Connection[] = [];
  const waiters: Waiter[] = [];
  let total = 0;
  let opening = 0;
  let closing: (() => void) | undefined;
  let closed: Promise<void> | undefined;
  let clock = 0;
  const ticker = setInterval(tick, 1000);
  ticker.unref();

  function take(): Connection | undefined {
    return closed === undefined ? idle.pop() : undefined;
  }

  function acquire(signal?: Cancellation): Promise<Connection> {
    if (closed !== undefined) return Promise.reject(new ServiceError('busy', 'the service is shutting down'));
    if (signal?.aborted) return Promise.reject(abortError(signal));
    const free = take();
    if (free !== undefined) return Promise.resolve(free);
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(clock, signal, resolve, reject);
      waiters.push(waiter);
      if (signal !== undefined) watchdog.watch(waiter);
      grow();
    });
  }

  /** The one that waits longest, and still does. */
  function nextWaiter(): Waiter | undefined {
    const waiter = waiters.shift();
    if (waiter === undefined) return undefined;
    watchdog.forget(waiter);
    return waiter.gone ? nextWaiter() : waiter;
  }

  function grow(): void {
    if (total >= size || opening >= waiters.length) return;
    total += 1;
    opening += 1;
    connector.open(clock, lost).then(
      (connection) => {
        opening -= 1;
        if (!connection.closed) release(connection);
      },
      (error: unknown) => {
        opening -= 1;
        total -= 1;
        refused(error);
      },
    );
  }

  /** While other connections are there the callers wait for those; without any, they learn why at once. */
  function refused(error: unknown): void {
    if (total - opening === 0) while (waiters.length > 0) nextWaiter()?.reject(error);
    else if (waiters.length > 0) observe({ kind: 'failure', where: 'database pool', error });
    settle();
  }

  function lost(connection: Connection): void {
    total -= 1;
    const index = idle.indexOf(connection);
    if (index !== -1) idle.splice(index, 1);
    if (waiters.length > 0) grow();
    settle();
  }

  function release(connection: Connection): void {
    if (connection.closed) return;
    const waiter = nextWaiter();
    if (waiter !== undefined) {
      waiter.resolve(connection);
      return;
    }
    if (closing !== undefined || clock - connection.openedAt > limits.lifetime) {
      discard(connection);
      return;
    }
    connection.idleSince = clock;
    idle.push(connection);
  }

  function discard(connection: Connection): void {
    if (connection.closed) return;
    connection.closed = true;
    // A statement that still runs would keep `end` waiting; the cancel request has been sent by then.
    connection.client.end().catch(() => undefined);
    lost(connection);
  }

  function tick(): void {
    clock += 1;
    // The most recently used connection is at the end, so the long idle ones are at the start.
    while (idle[0] !== undefined && clock - idle[0].idleSince > limits.idle) discard(idle[0]);
    while (waiters[0] !== undefined && (waiters[0].gone || clock - waiters[0].since > limits.wait)) {
      const waiter = waiters[0];
      waiters.shift();
      watchdog.forget(waiter);
      if (!waiter.gone)
        waiter.reject(new ServiceError('busy', 'every connection to the database is in use; try again'));
    }
  }

  function settle(): void {
    if (closing !== undefined && total === 0 && waiters.length === 0) closing();
  }

  function close(): Promise<void> {
    closed ??= new Promise((resolve) => {
      closing = () => {
        clearInterval(ticker);
        resolve();
      };
      for (const connection of idle.splice(0)) discard(connection);
      settle();
    });
    return closed;
  }

  return {
    take,
    acquire,
    release,
    discard,
    stats: () => ({ total, idle: idle.length, waiting: waiters.length, size }),
    close,
  };
}

/** What a caller gets that has itself given up. The reason of the signal, where it is an error of ours. */
export function abortError(signal: Cancellation): ServiceError {
  if (signal.reason instanceof ServiceError) return signal.reason;
  return new ServiceError('unexpected', 'the request was cancelled', { status: 499, cause: signal.reason });
}
