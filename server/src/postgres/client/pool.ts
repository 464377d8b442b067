/** The database as the rest of the service sees it: statements in, text out. */

import { cancellationError } from '../../base/cancellation.ts';
import { type Observe, silent } from '../../base/telemetry/observe.ts';
import { runInSpan, type Span } from '../../base/telemetry/trace.ts';
import type { Connection } from './connection.ts';
import { createConnections, type PoolLimits, type PoolStats } from './connections.ts';
import { createConnector } from './connector.ts';
import { createLiveness } from './liveness.ts';
import { PooledRun, type RunOwner } from './pooled-run.ts';
import { createPreparedNames } from './prepared-names.ts';
import type { Query, QueryOptions, QueryResult, QueryRun } from './statement-run.ts';
import { runTransaction, type TransactionOptions } from './transaction.ts';
import { createWatchdog } from './watchdog.ts';

export type { Field, Query, QueryOptions, QueryResult, QueryRun, Row } from './statement-run.ts';

export interface Database {
  readonly query: Query;
  /** Commits when `work` resolves, rolls back when it rejects. Its `query` works until then. */
  readonly transaction: <T>(work: (query: Query) => Promise<T>, options?: TransactionOptions) => Promise<T>;
  /** One connection for statements that cannot run in a transaction; closed afterwards, whatever was set on it. */
  readonly session: <T>(work: (query: Query) => Promise<T>) => Promise<T>;
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
  /** Percent of the connections that the requests of one role use at most; 100, the default, for no limit. */
  readonly roleShare?: number;
  /** A statement that runs longer is cancelled; 0 for no limit. */
  readonly statementTimeoutMs: number;
  /** False for poolers that cannot keep prepared statements. */
  readonly prepare: boolean;
  readonly applicationName: string;
  /** Only reads are meant to go there. */
  readonly isReplica?: boolean;
  readonly connectTimeoutMs?: number;
  readonly limits?: PoolLimits | undefined;
  readonly observe?: Observe;
  /** Of the pool, in metrics and traces: `default`. */
  readonly label?: string;
}

/** Characters of a statement that traces show. */
const LONGEST_TRACED = 4_000;

/** For one attempt to connect. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Opens nothing yet: the first statement does. */
export function createDatabase(settings: DatabaseSettings): Database {
  const { statementTimeoutMs, observe = silent, label: pool = '' } = settings;
  const connector = createConnector({ ...settings, connectTimeoutMs: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS });
  const watchdog = createWatchdog();
  const { poolSize: size, roleShare = 100, limits } = settings;
  const connections = createConnections({ connector, size, roleShare, watchdog, observe, limits });
  const names = createPreparedNames(settings.prepare, observe);
  const { discard, discardIdle } = connections;

  const owner: RunOwner = {
    watchdog,
    liveness: createLiveness({ connector, discard, discardIdle }),
    statementTimeoutMs,
    timeoutIsOurs: connector.timeoutIsOurs,
    readsOnly: settings.isReplica === true || connector.readsOnly,
    refused: names.refused,
    ran: (text, durationMs, failed) => observe({ kind: 'statement', pool, text, durationMs, failed }),
    giveBack,
    discard,
  };

  function perform(connection: Connection, run: QueryRun, held: boolean, options?: QueryOptions): Promise<QueryResult> {
    const answered = (): Promise<QueryResult> =>
      new Promise((resolve, reject) => {
        new PooledRun(owner, connection, run, held, options, resolve, reject).start();
      });
    return options?.span?.recorded ? traced(options.span, run.text, answered) : answered();
  }

  /** The text is printed from a plan: its values travel as parameters and are not in it. */
  function traced(parent: Span, text: string, answered: () => Promise<QueryResult>): Promise<QueryResult> {
    const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'SQL';
    const attributes = {
      'db.system.name': 'postgresql',
      'db.namespace': pool,
      'db.operation.name': operation,
      'db.query.text': text.slice(0, LONGEST_TRACED),
    };
    return runInSpan(parent.child(`${operation} ${pool}`, { kind: 'client', attributes }), answered);
  }

  /** To the pool, unless something of the last statement is left on it. */
  function giveBack(connection: Connection): void {
    if (connection.cancelling !== undefined) connection.cancelling.then(() => giveBack(connection));
    // A `begin` without an end in somebody's statement: closing the connection rolls it back.
    else if (connection.client.getTransactionStatus() === 'I' && !connection.unsuitable)
      connections.release(connection);
    else connections.discard(connection);
  }

  function query(run: QueryRun, options?: QueryOptions): Promise<QueryResult> {
    const signal = options?.signal;
    if (signal?.aborted) return Promise.reject(cancellationError(signal));
    const connection = connections.take(options?.role);
    if (connection !== undefined) return perform(connection, run, false, options);
    return connections.acquire(options?.role, signal).then((acquired) => perform(acquired, run, false, options));
  }

  async function transaction<T>(work: (query: Query) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const connection = connections.take(options.role) ?? (await connections.acquire(options.role));
    const held: Query = (run, queryOptions) => perform(connection, run, true, queryOptions);
    try {
      return await runTransaction(connection, held, work, options);
    } finally {
      if (options.dispose) connections.discard(connection);
      else giveBack(connection);
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

  return { query, transaction, session, prepared: names.nameFor, stats: connections.stats, close: connections.close };
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
