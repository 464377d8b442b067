/** A statement on a pooled connection: settles its promise, can be cancelled, gives the connection back when done. */
import { ServiceError } from '../base/errors.ts';
import { requestCancel } from './cancel.ts';
import { type Connection, unreachable } from './connection.ts';
import { abortError } from './connections.ts';
import { isPostgresError } from './errors.ts';
import {
  type Cancellation,
  type QueryOptions,
  type QueryResult,
  type QueryRun,
  type Row,
  StatementRun,
} from './statement-run.ts';
import type { Watchdog, Watched } from './watchdog.ts';

/** What runs of one database have in common. */
export interface RunOwner {
  readonly watchdog: Watchdog;
  /** Milliseconds a statement may take where we have to see to it ourselves; 0 where the server does. */
  ownLimitMs(): number;
  /** See `PreparedNames.refused`. */
  refused(run: StatementRun, error: unknown): boolean;
  /** A statement has ended, for better or worse. */
  ran(text: string, durationMs: number, failed: boolean): void;
  giveBack(connection: Connection): void;
  discard(connection: Connection): void;
}

/** How long a cancelled statement may take to end before its connection is dropped. */
const cancelGraceMs = 5000;

export class PooledRun extends StatementRun implements Watched {
  private readonly owner: RunOwner;
  private readonly connection: Connection;
  /** True when the connection stays with a transaction afterwards. */
  private readonly held: boolean;
  private readonly signal: Cancellation | undefined;
  private readonly resolve: (result: QueryResult) => void;
  private readonly reject: (error: unknown) => void;
  /** Milliseconds of `performance.now()`: the limit first, then the end of the grace. */
  private deadline = Number.POSITIVE_INFINITY;
  /** What to reject with when the statement ends because we cancelled it. */
  private cancelled: ServiceError | undefined;
  private readonly maxLength: number;
  /** Set once there are more. */
  private oversized: ServiceError | undefined;
  /** Characters of the rows so far. */
  private length = 0;
  private retried = false;
  private watched = false;
  private readonly began = performance.now();

  constructor(
    owner: RunOwner,
    connection: Connection,
    run: QueryRun,
    held: boolean,
    options: QueryOptions | undefined,
    resolve: (result: QueryResult) => void,
    reject: (error: unknown) => void,
  ) {
    // In a transaction a name that the server does not know fails all of it, and cannot be tried again.
    super(held && connection.pooled ? { ...run, name: undefined } : run, connection);
    this.owner = owner;
    this.connection = connection;
    this.held = held;
    this.signal = options?.signal;
    this.maxLength = options?.maxLength ?? 0;
    this.resolve = resolve;
    this.reject = reject;
  }

  start(): void {
    const limit = this.owner.ownLimitMs();
    if (this.signal !== undefined || limit > 0) {
      this.watched = true;
      if (limit > 0) this.deadline = performance.now() + limit;
      this.owner.watchdog.watch(this);
    }
    this.connection.client.query(this);
  }

  look(now: number): void {
    if (this.cancelled === undefined && this.signal?.aborted) this.cancel(abortError(this.signal), now);
    else if (now < this.deadline) return;
    else if (this.cancelled === undefined) this.cancel(tooSlow(), now);
    else this.owner.discard(this.connection);
  }

  override handleDataRow(message: { readonly fields: Row }): void {
    if (this.maxLength > 0) {
      for (const field of message.fields) this.length += field?.length ?? 0;
      if (this.length > this.maxLength) {
        this.oversized ??= tooLarge(this.maxLength);
        if (this.cancelled === undefined) this.cancel(this.oversized, performance.now());
        return;
      }
    }
    super.handleDataRow(message);
  }

  private cancel(error: ServiceError, now: number): void {
    this.cancelled = error;
    this.deadline = now + cancelGraceMs;
    const { connection } = this;
    connection.cancelling = requestCancel(connection.client).then(() => {
      connection.cancelling = undefined;
    });
  }

  protected succeed(result: QueryResult): void {
    if (this.watched) this.owner.watchdog.forget(this);
    this.owner.ran(this.text, performance.now() - this.began, false);
    if (!this.held) this.owner.giveBack(this.connection);
    // The last row may have been the one too many: nothing was left to cancel.
    if (this.oversized === undefined) this.resolve(result);
    else this.reject(this.oversized);
  }

  protected fail(error: unknown): void {
    const { connection, owner } = this;
    if (owner.refused(this, error) && !this.held && !this.retried && !connection.closed) {
      this.retried = true;
      connection.client.query(this);
      return;
    }
    if (this.watched) owner.watchdog.forget(this);
    owner.ran(this.text, performance.now() - this.began, true);
    const reason = this.cancelled ?? (isPostgresError(error) ? error : unreachable(error));
    if (this.held || connection.closed) this.reject(reason);
    else this.settleWhenFree(reason);
  }

  /** After an error the server is ready for the next statement only when pg says `drain`. */
  private settleWhenFree(reason: unknown): void {
    const { client } = this.connection;
    const settle = (): void => {
      client.off('drain', settle);
      client.off('end', settle);
      this.owner.giveBack(this.connection);
      this.reject(reason);
    };
    client.on('drain', settle);
    client.on('end', settle);
  }
}

function tooLarge(most: number): ServiceError {
  const message = `the result is larger than ${most} bytes; ask for a page of it with "limit", or for fewer fields`;
  return new ServiceError('result-limit-exceeded', message);
}

function tooSlow(): ServiceError {
  return new ServiceError('timeout', 'the statement ran longer than its limit and was cancelled');
}
