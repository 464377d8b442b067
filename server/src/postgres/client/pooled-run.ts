/** The execution of a statement on a pooled connection, with cancellation, timeout and release of the connection. */

import type pg from 'pg';
import { type Cancellation, cancellationError } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import { isPostgresError, type PostgresError, READ_ONLY_TRANSACTION } from '../sql/errors.ts';
import { type Connection, unreachable } from './connection.ts';
import { type Liveness, type Suspect, silenceMs } from './liveness.ts';
import { createConnection, internalsOf } from './pg-internals.ts';
import { type QueryOptions, type QueryResult, type QueryRun, type Row, StatementRun } from './statement-run.ts';
import type { Watchdog, Watched } from './watchdog.ts';

/** The dependencies that all statements of a pool share. */
export interface RunOwner {
  readonly watchdog: Watchdog;
  readonly liveness: Liveness;
  /** 0 for none. */
  readonly statementTimeoutMs: number;
  /** Whether the server does not enforce the statement timeout. */
  timeoutIsOurs(): boolean;
  /** Whether the database is configured for reads: a replica, or by its URL. */
  readonly readsOnly: boolean;
  /** See `PreparedNames.rejected`. */
  rejected(run: StatementRun, error: unknown): boolean;
  /** Called when a statement has ended. */
  ran(text: string, durationMs: number, failed: boolean): void;
  release(connection: Connection): void;
  discard(connection: Connection): void;
}

/** Milliseconds for a canceled statement to end before its connection is closed. */
const cancelGraceMs = 5000;
/** Milliseconds beyond the statement timeout after which the server evidently does not enforce it. */
const backstopMs = 5_000;

export class PooledRun extends StatementRun implements Watched, Suspect {
  private readonly owner: RunOwner;
  readonly connection: Connection;
  /** Whether the connection belongs to a transaction or session afterwards. */
  private readonly keepsConnection: boolean;
  private readonly signal: Cancellation | undefined;
  private readonly resolve: (result: QueryResult) => void;
  private readonly reject: (error: unknown) => void;
  private readonly unlimited: boolean;
  private readonly reads: boolean;
  /** Time of `performance.now()`: of the timeout first, then the end of the grace period. */
  private deadline = Number.POSITIVE_INFINITY;
  /** The error of a canceled statement. */
  private canceled: ServiceError | undefined;
  private readonly maxLength: number;
  /** Set when the result exceeds `maxLength`. */
  private oversized: ServiceError | undefined;
  /** Characters of the rows so far. */
  private length = 0;
  private retried = false;
  private readonly began = performance.now();
  /** When a byte was received, or the server was found to execute the statement. */
  private confirmedAt = this.began;
  private suspected = false;

  constructor(
    owner: RunOwner,
    connection: Connection,
    run: QueryRun,
    keepsConnection: boolean,
    options: QueryOptions | undefined,
    resolve: (result: QueryResult) => void,
    reject: (error: unknown) => void,
  ) {
    // In a transaction an unknown name fails the whole transaction and cannot be retried.
    super(keepsConnection && connection.pooled ? { ...run, name: undefined } : run, connection);
    this.owner = owner;
    this.connection = connection;
    this.keepsConnection = keepsConnection;
    this.signal = options?.signal;
    this.maxLength = options?.maxLength ?? 0;
    this.unlimited = options?.unlimited === true;
    this.reads = options?.reads === true;
    this.resolve = resolve;
    this.reject = reject;
  }

  start(): void {
    const { statementTimeoutMs, watchdog } = this.owner;
    if (statementTimeoutMs > 0 && !this.unlimited) {
      this.deadline = this.began + statementTimeoutMs + (this.owner.timeoutIsOurs() ? 0 : backstopMs);
    }
    watchdog.watch(this);
    this.connection.client.query(this);
  }

  check(now: number): void {
    if (this.canceled === undefined && this.signal?.aborted) this.cancel(cancellationError(this.signal), now);
    else if (now < this.deadline) this.examine(now);
    else if (this.canceled !== undefined) this.owner.discard(this.connection);
    // The server executes it: the statement has set another timeout.
    else if (!this.owner.timeoutIsOurs() && now - this.confirmedAt < backstopMs) this.deadline = now + backstopMs;
    else this.cancel(tooSlow(), now);
  }

  /** Starts the examination of the connection after a silence. */
  private examine(now: number): void {
    if (this.suspected || now - this.confirmedAt < silenceMs) return;
    this.suspected = true;
    this.owner.liveness.suspect(this);
  }

  confirm(now: number): void {
    this.confirmedAt = now;
  }

  size(): number {
    return this.values.reduce<number>((sum, value) => sum + lengthOf(value), this.text.length);
  }

  /** Stops watching the statement. */
  private forget(): void {
    this.owner.watchdog.forget(this);
    if (this.suspected) this.owner.liveness.clear(this);
  }

  override handleDataRow(message: { readonly fields: Row }): void {
    if (this.maxLength > 0) {
      for (const field of message.fields) this.length += field?.length ?? 0;
      if (this.length > this.maxLength) {
        this.oversized ??= tooLarge(this.maxLength);
        if (this.canceled === undefined) this.cancel(this.oversized, performance.now());
        return;
      }
    }
    super.handleDataRow(message);
  }

  private cancel(error: ServiceError, now: number): void {
    this.canceled = error;
    this.deadline = now + cancelGraceMs;
    const { connection } = this;
    connection.canceling = requestCancel(connection.client).then(() => {
      connection.canceling = undefined;
    });
  }

  protected succeed(result: QueryResult): void {
    this.forget();
    this.owner.ran(this.text, performance.now() - this.began, false);
    const { unconfirmed } = this.connection;
    this.connection.unconfirmed = false;
    if (!this.keepsConnection) this.owner.release(this.connection);
    if (unconfirmed) this.reject(unconfirmedCommit());
    // The last row may have exceeded the limit, with nothing left to cancel.
    else if (this.oversized === undefined) this.resolve(result);
    else this.reject(this.oversized);
  }

  protected fail(error: unknown): void {
    const { connection, owner } = this;
    if (owner.rejected(this, error) && !this.keepsConnection && !this.retried && !connection.closed) {
      this.retried = true;
      connection.client.query(this);
      return;
    }
    this.forget();
    owner.ran(this.text, performance.now() - this.began, true);
    const reason = isPostgresError(error) ? (this.canceled ?? this.rejection(error)) : this.loss(error);
    if (this.keepsConnection || connection.closed) this.reject(reason);
    else this.settleWhenFree(reason);
  }

  /** Marks the connection where the server became read-only by a failover. Returns the error of the statement. */
  private rejection(error: PostgresError): unknown {
    if (error.code !== READ_ONLY_TRANSACTION) return error;
    const { connection, owner } = this;
    const { inRecovery = false, readOnly = false } = connection.server ?? {};
    if (owner.readsOnly || (readOnly && !inRecovery)) return readOnlyDatabase(error);
    connection.unsuitable = true;
    return error;
  }

  /** Returns the error of a lost connection. */
  private loss(error: unknown): ServiceError {
    const { client } = this.connection;
    const isOpen = this.sent && mayHaveCommitted(this, client.getTransactionStatus(), this.reads);
    return isOpen ? unknownOutcome(error) : (this.canceled ?? unreachable(error));
  }

  /** After an error the server is ready for the next statement when pg emits `drain`. */
  private settleWhenFree(reason: unknown): void {
    const { client } = this.connection;
    const settle = (): void => {
      client.off('drain', settle);
      client.off('end', settle);
      this.owner.release(this.connection);
      this.reject(reason);
    };
    client.on('drain', settle);
    client.on('end', settle);
  }
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? value.reduce<number>((sum, item) => sum + lengthOf(item), 0) : 10;
}

function tooLarge(most: number): ServiceError {
  const message = `the result is larger than ${most} bytes; request a page of it with "limit", or fewer fields`;
  return new ServiceError('result-limit-exceeded', message);
}

function readOnlyDatabase(cause: Error): ServiceError {
  const message =
    'the database is configured for reads: it is a read replica, its target_session_attrs selects a standby, or default_transaction_read_only is on';
  return new ServiceError('not-supported', message, { internal: { error: cause.message }, cause });
}

function tooSlow(): ServiceError {
  return new ServiceError('timeout', 'the statement ran longer than its limit and was canceled');
}

interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

const read = /^\s*(select|with|values|table|show|explain|begin|start|set|reset|discard|listen|unlisten|fetch)\b/i;
const writing = /\b(insert|update|delete|merge|call|into)\b/i;
/** Functions of the schema that change rows. Those whose names start with `event_` only read. */
const ownFunction = /\bjoinery\.(?!event_|lease_is_valid)\w+\(/;
const end = /\b(commit|end)\b/i;

/**
 * Whether `statement` may have been committed. `status` is the transaction status before it, `I` for none. `reads`: whether
 * the caller declares it as read-only.
 */
function mayHaveCommitted({ text, values }: SentStatement, status: string | null, reads: boolean): boolean {
  // A text with several statements, which may include a commit, has no values.
  if (status !== 'I') return values.length === 0 && end.test(text);
  return !reads && (!read.test(text) || writing.test(text) || ownFunction.test(text));
}

function unknownOutcome(cause: unknown): ServiceError {
  const message =
    'the connection to the database was lost before the database confirmed the change, which may or may not have been made; check whether it was made before you repeat the request';
  const internal = { error: cause instanceof Error ? cause.message : String(cause) };
  return new ServiceError('unknown-outcome', message, { internal, cause });
}

/** The error of a commit whose wait for a synchronous standby was canceled by a timeout, the client or an operator. */
function unconfirmedCommit(): ServiceError {
  const message =
    'the primary committed the change, but the wait for a synchronous standby was canceled before one confirmed it, so a failover can lose the change; check whether it was made before you repeat the request';
  return new ServiceError('unknown-outcome', message);
}

/**
 * Requests the server to cancel the statement of `client`. Resolves, and never rejects, when the server has closed the
 * connection of the request, which it does after it has processed the request, or after `limitMs`.
 */
function requestCancel(client: pg.Client, limitMs = 2000): Promise<void> {
  const { host, port, ssl, processID, secretKey } = internalsOf(client);
  if (processID === null || secretKey === null) return Promise.resolve();
  return new Promise((resolve) => {
    const connection = createConnection(ssl);
    const limit = setTimeout(done, limitMs);
    function done(): void {
      clearTimeout(limit);
      connection.stream.destroy();
      resolve();
    }
    const send = (): void => connection.cancel(processID, secretKey);
    connection.on('connect', () => (ssl ? connection.requestSsl() : send()));
    connection.on('sslconnect', send);
    connection.on('end', done);
    connection.on('error', done);
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}
