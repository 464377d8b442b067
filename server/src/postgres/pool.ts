/** The database as the rest of the service sees it: statements in, text out. */
import { createHash } from 'node:crypto';
import { ServiceError } from '../base/errors.ts';
import { type Observe, silent } from '../base/observe.ts';
import { requestCancel } from './cancel.ts';
import { type Connection, createConnector, unreachable } from './connection.ts';
import { abortError, createConnections, type PoolStats } from './connections.ts';
import { isPostgresError } from './errors.ts';
import { type QueryResult, type QueryRun, StatementRun } from './statement-run.ts';

export interface QueryOptions {
  /** Aborting it cancels the statement on the server; the call then rejects with a ServiceError. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs one statement. Without values and name the text may hold several, and the result is the last one's. Rejects with
 * `busy` when the connection fails, else with the error of pg (see `fromPostgres`).
 */
export type Query = (run: QueryRun, options?: QueryOptions) => Promise<QueryResult>;

export interface TransactionOptions {
  readonly readOnly?: boolean;
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /** Close the connection afterwards: for statements written by others, which may change the state of the session. */
  readonly dispose?: boolean;
}

export interface Database {
  readonly query: Query;
  /** Commits when `work` resolves, rolls back when it rejects. `query` works until then. */
  readonly transaction: <T>(work: (query: Query) => Promise<T>, options?: TransactionOptions) => Promise<T>;
  /** A name to prepare this text under, the same every time; undefined where the statement should go unnamed. */
  readonly prepared: (text: string) => string | undefined;
  readonly stats: () => PoolStats;
  /** Lets what runs or waits finish, then closes the connections. Later calls reject with `busy`. */
  readonly close: () => Promise<void>;
}

export interface DatabaseSettings {
  readonly url: string;
  /** Connections at most. */
  readonly poolSize: number;
  /** A statement that runs longer is cancelled; 0 for no limit. */
  readonly statementTimeoutMs: number;
  /** False for poolers that cannot keep prepared statements. */
  readonly prepare: boolean;
  readonly applicationName: string;
  readonly connectTimeoutMs?: number;
  readonly observe?: Observe;
}

/** Prepared statements cost memory in each server process. */
const mostNames = 500;
/** So many refused names in a row of events mean a pooler that hands us another server connection each time. */
const mostRefusals = 3;
/** How long a cancelled statement may take to end before its connection is dropped. */
const cancelGraceMs = 5000;

/** Opens nothing yet: the first statement does. */
export function createDatabase(settings: DatabaseSettings): Database {
  const observe = settings.observe ?? silent;
  const connector = createConnector({
    ...settings,
    connectTimeoutMs: settings.connectTimeoutMs ?? 10_000,
  });
  const connections = createConnections(connector, settings.poolSize, observe);
  const names = new Map<string, string>();
  let refusals = 0;

  function prepared(text: string): string | undefined {
    if (!settings.prepare || refusals >= mostRefusals) return undefined;
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= mostNames) return undefined;
    // From the text, so that one name means one statement in every process behind a shared pooler.
    const name = `j${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`;
    names.set(text, name);
    return name;
  }

  /** A named statement that the server does not know, or knows in an outdated form. Nothing of it was executed. */
  function refusedName(run: StatementRun, error: unknown): boolean {
    if (run.name === undefined || !isPostgresError(error)) return false;
    const unknown = error.code === '26000' || error.code === '42P05';
    if (!unknown && !(error.code === '0A000' && error.routine === 'RevalidateCachedQuery')) return false;
    run.prepared.stale.add(run.name);
    if (unknown && ++refusals === mostRefusals) {
      const message = 'prepared statements switched off: the pooler in front of the database does not keep them';
      observe({ kind: 'note', level: 'warn', where: 'database pool', message });
    }
    return true;
  }

  /** A statement on its connection, which goes back to the pool afterwards unless a transaction holds it. */
  class PooledRun extends StatementRun {
    readonly connection: Connection;
    readonly held: boolean;
    readonly resolve: (result: QueryResult) => void;
    readonly reject: (error: unknown) => void;
    /** What to reject with when the statement ends because we cancelled it. */
    cancelled: ServiceError | undefined;
    private retried = false;
    private watch: { end: () => void } | undefined;

    constructor(
      connection: Connection,
      run: QueryRun,
      held: boolean,
      resolve: (result: QueryResult) => void,
      reject: (error: unknown) => void,
    ) {
      super(run, connection);
      this.connection = connection;
      this.held = held;
      this.resolve = resolve;
      this.reject = reject;
    }

    protected succeed(result: QueryResult): void {
      this.watch?.end();
      if (!this.held) giveBack(this.connection);
      this.resolve(result);
    }

    protected fail(error: unknown): void {
      const { connection } = this;
      if (refusedName(this, error) && !this.held && !this.retried && !connection.closed) {
        this.retried = true;
        connection.client.query(this);
        return;
      }
      this.watch?.end();
      // Given back only when the server is ready again: `drain` is emitted at that moment.
      if (!this.held) connection.client.once('drain', () => giveBack(connection));
      if (this.cancelled !== undefined) this.reject(this.cancelled);
      else this.reject(isPostgresError(error) ? error : unreachable(error));
    }

    /** Cancels the statement when the signal aborts or our own time limit passes. */
    watchOver(signal: AbortSignal | undefined, limitMs: number): void {
      let grace: NodeJS.Timeout | undefined;
      const cancel = (error: ServiceError): void => {
        if (this.cancelled !== undefined) return;
        this.cancelled = error;
        const { connection } = this;
        connection.cancelling = requestCancel(connection.client).then(() => {
          connection.cancelling = undefined;
        });
        grace = setTimeout(() => connections.discard(connection), cancelGraceMs);
      };
      const onAbort = (): void => cancel(abortError(signal as AbortSignal));
      const limit = limitMs > 0 ? setTimeout(() => cancel(tooSlow(limitMs)), limitMs) : undefined;
      signal?.addEventListener('abort', onAbort, { once: true });
      this.watch = {
        end: () => {
          signal?.removeEventListener('abort', onAbort);
          clearTimeout(limit);
          clearTimeout(grace);
        },
      };
    }
  }

  function perform(
    connection: Connection,
    run: QueryRun,
    options: QueryOptions | undefined,
    held: boolean,
  ): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      const pooled = new PooledRun(connection, run, held, resolve, reject);
      const signal = options?.signal;
      const ours = connector.timeoutIsOurs();
      if (signal !== undefined || ours) pooled.watchOver(signal, ours ? settings.statementTimeoutMs : 0);
      connection.client.query(pooled);
    });
  }

  /** To the pool, unless something of the last statement is left on it. */
  function giveBack(connection: Connection): void {
    if (connection.cancelling !== undefined) {
      connection.cancelling.then(() => giveBack(connection));
      return;
    }
    // A `begin` without an end in somebody's statement: closing the connection rolls it back.
    if (connection.client.getTransactionStatus() === 'I') connections.release(connection);
    else connections.discard(connection);
  }

  function query(run: QueryRun, options?: QueryOptions): Promise<QueryResult> {
    const signal = options?.signal;
    if (signal?.aborted) return Promise.reject(abortError(signal));
    const connection = connections.take();
    if (connection !== undefined) return perform(connection, run, options, false);
    return connections.acquire(signal).then((acquired) => perform(acquired, run, options, false));
  }

  async function transaction<T>(work: (query: Query) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const connection = connections.take() ?? (await connections.acquire());
    let open = true;
    let last: Promise<unknown> = Promise.resolve();
    /** After the statement before it, and after a cancel request that would hit this one instead. */
    const inTurn = async (run: QueryRun, queryOptions?: QueryOptions): Promise<QueryResult> => {
      await last.catch(() => undefined);
      if (connection.cancelling !== undefined) await connection.cancelling;
      if (queryOptions?.signal?.aborted) throw abortError(queryOptions.signal);
      return perform(connection, run, queryOptions, true);
    };
    const enqueue: Query = (run, queryOptions) => {
      const result = inTurn(run, queryOptions);
      last = result;
      return result;
    };
    const within: Query = (run, queryOptions) =>
      open ? enqueue(run, queryOptions) : Promise.reject(new Error('the transaction has ended'));
    const command = (text: string): Promise<QueryResult> => enqueue({ text, values: [] });
    try {
      await command(beginText(options));
      const result = await work(within);
      open = false;
      const { command: ending } = await command('commit');
      if (ending !== 'COMMIT') throw new Error('a statement of the transaction had failed, so it was rolled back');
      return result;
    } catch (error) {
      open = false;
      await last.catch(() => undefined);
      if (!connection.closed && connection.client.getTransactionStatus() !== 'I') {
        await command('rollback').catch(() => connections.discard(connection));
      }
      throw error;
    } finally {
      if (options.dispose) connections.discard(connection);
      else if (!connection.closed) giveBack(connection);
    }
  }

  return { query, transaction, prepared, stats: connections.stats, close: connections.close };
}

function beginText(options: TransactionOptions): string {
  const isolation = options.isolation === undefined ? '' : ` isolation level ${options.isolation}`;
  return `begin${isolation}${options.readOnly ? ' read only' : ''}`;
}

function tooSlow(limitMs: number): ServiceError {
  return new ServiceError('timeout', `the statement ran longer than its limit of ${limitMs} ms and was cancelled`);
}
