/** The execution of a statement on a pooled connection, with cancellation, timeout and release of the connection. */

import { type Cancellation, cancellationError } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import { isPostgresError, type PostgresError, READ_ONLY_TRANSACTION } from '../sql/errors.ts';
import { type Connection, unreachable } from './connection.ts';
import { type Liveness, type Suspect, silenceMs } from './liveness.ts';
import { type QueryOptions, type QueryResult, type QueryRun, StatementRun } from './statement-run.ts';
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
  ran(text: string, durationMs: number, failed: boolean, span: Span | undefined): void;
  /** Called with the time that the server took for a prepared statement that reads. */
  measured(name: string, durationMs: number): void;
  release(connection: Connection): void;
  discard(connection: Connection): void;
}

/** Milliseconds for a canceled statement to end before its connection is closed. */
const cancelGraceMs = 5000;
/** Milliseconds beyond the statement timeout after which the server evidently does not enforce it. */
const backstopMs = 5_000;

/** Milliseconds behind another statement after which a statement runs alone. */
const displacedAfterMs = 100;
/** SQLSTATE of a canceled statement. */
const QUERY_CANCELED = '57014';

/**
 * A read that was sent behind another statement was canceled with it, lost its connection, or waits for too long. It has no
 * result so far, and runs again alone.
 */
export class Displaced extends Error {}

export class PooledRun extends StatementRun implements Watched, Suspect {
  private readonly owner: RunOwner;
  readonly connection: Connection;
  /** Whether the connection belongs to a transaction or session afterwards. */
  private readonly keepsConnection: boolean;
  private readonly signal: Cancellation | undefined;
  private readonly resolve: (result: QueryResult) => void;
  private readonly reject: (error: unknown) => void;
  private readonly unlimited: boolean;
  private readonly reads: boolean | undefined;
  private readonly onSent: (() => void) | undefined;
  private readonly span: Span | undefined;
  /** Time of `performance.now()`: of the timeout first, then the end of the grace period. */
  private deadline = Number.POSITIVE_INFINITY;
  /** The error of a canceled statement. */
  private canceled: ServiceError | undefined;
  private readonly maxLength: number;
  /** Set when the result exceeds `maxLength`. */
  private oversized: ServiceError | undefined;
  /** Bytes of the values so far. */
  private length = 0;
  private retried = false;
  /** Whether it was sent behind another statement on its connection. */
  private behind = false;
  /** Whether its caller was rejected, and its result is ignored. */
  private abandoned = false;
  private cancelsBefore = 0;
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
    super(keepsConnection && connection.pooled ? { ...run, name: undefined } : run, connection.prepared);
    this.owner = owner;
    this.connection = connection;
    this.keepsConnection = keepsConnection;
    this.signal = options?.signal;
    this.maxLength = options?.maxLength ?? 0;
    this.unlimited = options?.unlimited === true;
    this.reads = options?.reads;
    this.onSent = options?.sent;
    this.span = options?.span;
    this.resolve = resolve;
    this.reject = reject;
  }

  start(): void {
    const { statementTimeoutMs, watchdog } = this.owner;
    if (statementTimeoutMs > 0 && !this.unlimited) {
      this.deadline = this.began + statementTimeoutMs + (this.owner.timeoutIsOurs() ? 0 : backstopMs);
    }
    watchdog.watch(this);
    const { connection } = this;
    this.behind = !this.keepsConnection && connection.wire.depth > 0;
    this.cancelsBefore = connection.cancels;
    if (!this.behind) connection.progressAt = this.began;
    connection.wire.submit(this);
    this.onSent?.();
  }

  check(now: number): void {
    if (this.signal?.aborted) this.abort(cancellationError(this.signal), now);
    if (this.behind && !this.connection.wire.isFirst(this)) {
      if (now - this.began > displacedAfterMs) this.abandon(new Displaced());
    } else if (now < this.deadline) this.examine(now);
    else if (this.canceled !== undefined) this.owner.discard(this.connection);
    // The server executes it: the statement has set another timeout.
    else if (!this.owner.timeoutIsOurs() && now - this.confirmedAt < backstopMs) this.deadline = now + backstopMs;
    else this.cancel(tooSlow(), now);
  }

  /** Cancels the statement, unless another one on the connection still has a caller, which a cancel request could hit. */
  private abort(error: ServiceError, now: number): void {
    if (this.canceled !== undefined) return;
    const { connection } = this;
    const isShared = connection.wire.depth > 1 && !this.keepsConnection;
    if (isShared) this.abandon(error);
    if (!isShared || (connection.abandoned === connection.wire.depth && connection.wire.isFirst(this))) {
      this.cancel(error, now);
    }
  }

  /** Rejects the caller. The result is ignored. */
  private abandon(error: Error): void {
    if (this.abandoned) return;
    this.abandoned = true;
    this.connection.abandoned += 1;
    this.reject(error);
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
    if (this.abandoned) this.connection.abandoned -= 1;
    if (this.suspected) this.owner.liveness.clear(this);
  }

  /** A row beyond the limit is not received: its caller is rejected before the server has sent it. */
  override beginRow(length: number): boolean {
    if (!this.exceeds(this.lengthOfValues(length))) return true;
    if (this.reads) this.abandon(tooLarge(this.maxLength));
    return false;
  }

  override handleRow(bytes: Buffer, start: number, end: number): void {
    const length = this.lengthOfValues(end - start);
    if (this.exceeds(length)) return;
    this.length += length;
    super.handleRow(bytes, start, end);
  }

  /** Whether the result is too large with further values of `length`. Cancels the statement if so. */
  private exceeds(length: number): boolean {
    if (this.maxLength === 0) return false;
    if (this.oversized === undefined && this.length + length <= this.maxLength) return false;
    this.oversized ??= tooLarge(this.maxLength);
    this.dropRows();
    if (this.canceled === undefined && this.connection.wire.depth === 1) this.cancel(this.oversized, performance.now());
    return true;
  }

  private cancel(error: ServiceError, now: number): void {
    this.canceled = error;
    this.deadline = now + cancelGraceMs;
    const { connection } = this;
    connection.cancels += 1;
    connection.canceling = connection.wire.cancel().then(() => {
      connection.canceling = undefined;
    });
  }

  protected succeed(result: QueryResult): void {
    this.forget();
    const now = performance.now();
    const { connection, owner } = this;
    owner.ran(this.text, now - this.began, false, this.span);
    if (this.reads && this.name !== undefined) {
      owner.measured(this.name, now - Math.max(this.began, connection.progressAt));
    }
    connection.progressAt = now;
    const { unconfirmed } = connection;
    connection.unconfirmed = false;
    if (!this.keepsConnection) owner.release(connection);
    if (unconfirmed) this.reject(unconfirmedCommit());
    // The last row may have exceeded the limit, with nothing left to cancel.
    else if (this.oversized === undefined) this.resolve(result);
    else this.reject(this.oversized);
  }

  protected fail(error: unknown): void {
    const { connection, owner } = this;
    if (owner.rejected(this, error) && !this.keepsConnection && !this.retried && !connection.closed) {
      this.retried = true;
      connection.wire.submit(this);
      return;
    }
    this.forget();
    owner.ran(this.text, performance.now() - this.began, true, this.span);
    connection.progressAt = performance.now();
    const reason = this.reasonOf(error);
    if (!this.keepsConnection && !connection.closed) owner.release(connection);
    this.reject(reason);
  }

  private reasonOf(error: unknown): unknown {
    if (!isPostgresError(error))
      return this.behind && !this.connection.wire.usable ? new Displaced() : this.loss(error);
    if (this.canceled !== undefined) return this.canceled;
    const isCanceled = error.code === QUERY_CANCELED && this.connection.cancels > this.cancelsBefore;
    return this.behind && isCanceled ? new Displaced() : this.rejection(error);
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
    const isOpen = this.sent && mayHaveCommitted(this, this.connection.wire.status, this.reads);
    return isOpen ? unknownOutcome(error) : (this.canceled ?? unreachable(error));
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
 * Whether `statement` may have been committed. `status` is the transaction status before it, `I` for none. `reads`: as in
 * `QueryOptions`.
 */
function mayHaveCommitted({ text, values }: SentStatement, status: string, reads: boolean | undefined): boolean {
  // A text with several statements, which may include a commit, has no values.
  if (status !== 'I') return values.length === 0 && end.test(text);
  if (reads !== undefined) return !reads;
  return !read.test(text) || writing.test(text) || ownFunction.test(text);
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
