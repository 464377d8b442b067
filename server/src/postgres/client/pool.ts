/** The connection pool. Values of results are text. */

import { cancellationError } from '../../base/cancellation.ts';
import { type Observe, silent } from '../../base/telemetry/observe.ts';
import { runInSpan, type Span } from '../../base/telemetry/trace.ts';
import type { Connection } from './connection.ts';
import { createConnections, type PoolLimits, type PoolStats } from './connections.ts';
import { createConnector } from './connector.ts';
import { createLiveness } from './liveness.ts';
import { Displaced, PooledRun, type RunOwner } from './pooled-run.ts';
import { createPreparedNames } from './prepared-names.ts';
import { createShortStatements } from './short-statements.ts';
import type { Query, QueryOptions, QueryResult, QueryRun } from './statement-run.ts';
import { runTransaction, type TransactionOptions } from './transaction.ts';
import { createWatchdog } from './watchdog.ts';

export interface Database {
  readonly query: Query;
  /** Commits when `work` resolves and rolls back when it rejects. Its `query` is valid until then. */
  readonly transaction: <T>(work: (query: Query) => Promise<T>, options?: TransactionOptions) => Promise<T>;
  /** Provides one connection for statements that cannot run in a transaction. It is closed afterwards. */
  readonly session: <T>(work: (query: Query) => Promise<T>) => Promise<T>;
  /** Returns the name of the prepared statement for a text; undefined where it should not be prepared. */
  readonly prepared: (text: string) => string | undefined;
  readonly stats: () => PoolStats;
  /** Whether its statements belong to one request, and are not merged with those of others. */
  readonly ofOneRequest?: true;
  /** Whether all its statements run in one transaction, in which no statement succeeds after one that failed. */
  readonly inTransaction?: true;
  /** Waits for running and queued statements, then closes the connections. Later calls reject with `busy`. */
  readonly close: () => Promise<void>;
}

export interface DatabaseSettings {
  readonly url: string;
  /** Maximum number of connections. */
  readonly poolSize: number;
  /** Maximum percentage of the connections for one role. Default 100: no limit. */
  readonly roleShare?: number;
  /** Maximum short reads in flight on one connection where no connection is idle. Default 8; 1 for none beside another. */
  readonly pipelineDepth?: number;
  /** A statement that runs longer is canceled; 0 for no limit. */
  readonly statementTimeoutMs: number;
  /** False for poolers that do not support prepared statements. */
  readonly prepare: boolean;
  readonly applicationName: string;
  /** Whether the pool is for reads only. */
  readonly isReplica?: boolean;
  readonly connectTimeoutMs?: number;
  readonly limits?: PoolLimits | undefined;
  readonly observe?: Observe;
  /** The name of the pool in metrics and traces, such as `default`. */
  readonly label?: string;
}

/** Maximum characters of a statement in traces. */
const LONGEST_TRACED = 4_000;

const PIPELINE_DEPTH = 8;

/** Of one attempt. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Creates a pool. The first statement opens the first connection. */
export function createDatabase(settings: DatabaseSettings): Database {
  const { statementTimeoutMs, observe = silent, label: pool = '' } = settings;
  const connector = createConnector({ ...settings, connectTimeoutMs: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS });
  const watchdog = createWatchdog();
  const { poolSize: size, roleShare = 100, pipelineDepth = PIPELINE_DEPTH, limits } = settings;
  const connections = createConnections({ connector, size, roleShare, pipelineDepth, watchdog, observe, limits });
  const short = createShortStatements();
  let pipelined = 0;
  const names = createPreparedNames(settings.prepare, observe);
  const { discard, discardIdle } = connections;

  const owner: RunOwner = {
    watchdog,
    liveness: createLiveness({ connector, discard, discardIdle }),
    statementTimeoutMs,
    timeoutIsOurs: connector.timeoutIsOurs,
    readsOnly: settings.isReplica === true || connector.readsOnly,
    rejected: names.rejected,
    ran: (text, durationMs, failed, span) => observe({ kind: 'statement', pool, text, durationMs, failed, span }),
    measured: (name, durationMs) => short.measured(name, durationMs, watchdog.lag()),
    release,
    discard,
  };

  function perform(connection: Connection, run: QueryRun, held: boolean, options?: QueryOptions): Promise<QueryResult> {
    const execute = (): Promise<QueryResult> =>
      new Promise((resolve, reject) => {
        new PooledRun(owner, connection, run, held, options, resolve, reject).start();
      });
    return options?.span?.recorded ? traced(options.span, run.text, execute) : execute();
  }

  /** Traces a statement. Its text contains no values. */
  function traced(parent: Span, text: string, execute: () => Promise<QueryResult>): Promise<QueryResult> {
    const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'SQL';
    const attributes = {
      'db.system.name': 'postgresql',
      'db.namespace': pool,
      'db.operation.name': operation,
      'db.query.text': text.slice(0, LONGEST_TRACED),
    };
    return runInSpan(parent.child(`${operation} ${pool}`, { kind: 'client', attributes }), execute);
  }

  /** Returns the connection to the pool, or closes it where a transaction is still open. */
  function release(connection: Connection): void {
    if (connection.canceling !== undefined) connection.canceling.then(() => release(connection));
    // A `begin` without an end in a statement of a caller. Closing the connection rolls it back.
    else if (connection.wire.status === 'I' && !connection.unsuitable) connections.release(connection);
    else connections.discard(connection);
  }

  function query(run: QueryRun, options?: QueryOptions): Promise<QueryResult> {
    const signal = options?.signal;
    if (signal?.aborted) return Promise.reject(cancellationError(signal));
    const role = options?.role;
    const shares = mayShare(run, options);
    const connection = connections.take(role);
    if (connection !== undefined) {
      if (shares) connections.share(connection);
      return perform(connection, run, false, options);
    }
    if (!shares) return connections.acquire(role, signal).then((acquired) => perform(acquired, run, false, options));
    const shared = connections.takeShared(role);
    if (shared !== undefined) return performShared(shared, run, options);
    return connections.acquire(role, signal, true).then((acquired) => {
      connections.share(acquired);
      return performShared(acquired, run, options);
    });
  }

  /** Whether the statement may use a connection together with others: a short read, which is repeated alone where it is displaced. */
  function mayShare({ name }: QueryRun, options: QueryOptions | undefined): boolean {
    return (
      pipelineDepth > 1 &&
      name !== undefined &&
      options?.reads === true &&
      options.repeatable === true &&
      short.isShort(name)
    );
  }

  async function performShared(
    connection: Connection,
    run: QueryRun,
    options: QueryOptions | undefined,
  ): Promise<QueryResult> {
    if (connection.wire.depth > 0) pipelined += 1;
    try {
      return await perform(connection, run, false, options);
    } catch (error) {
      if (!(error instanceof Displaced)) throw error;
      return perform(await connections.acquire(options?.role, options?.signal), run, false, options);
    }
  }

  async function transaction<T>(work: (query: Query) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const connection = connections.take(options.role) ?? (await connections.acquire(options.role));
    const inTransaction: Query = (run, queryOptions) => perform(connection, run, true, queryOptions);
    try {
      return await runTransaction(connection, inTransaction, work, options);
    } finally {
      if (options.dispose) connections.discard(connection);
      else release(connection);
    }
  }

  async function session<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const connection = connections.take() ?? (await connections.acquire());
    try {
      return await work((run, queryOptions) => perform(connection, run, true, queryOptions));
    } finally {
      connections.discard(connection);
    }
  }

  const stats = (): PoolStats => ({ ...connections.stats(), pipelined });
  return { query, transaction, session, prepared: names.nameFor, stats, close: connections.close };
}

/** Returns the database with `span` as the parent of its statements. */
export function tracedDatabase(span: Span, database: Database): Database {
  const traced = (query: Query): Query => {
    return (run, options) => query(run, { ...options, span });
  };
  return {
    ...database,
    query: traced(database.query),
    transaction: (work, options) => database.transaction((query) => work(traced(query)), options),
    session: (work) => database.session((query) => work(traced(query))),
  };
}
