/** A transaction on one connection. */

import { cancellationError } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import { isPostgresError, READ_ONLY_TRANSACTION } from '../sql/errors.ts';
import { compile, join, literal, sql } from '../sql/sql.ts';
import type { Connection } from './connection.ts';
import type { Query, QueryOptions, QueryResult, QueryRun } from './statement-run.ts';

export interface TransactionOptions {
  /** As in `QueryOptions`. */
  readonly role?: string | undefined;
  readonly readOnly?: boolean;
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /** Settings of PostgreSQL by name, until the transaction ends. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Close the connection afterwards, because statements of callers may change the state of the session. */
  readonly dispose?: boolean;
}

/**
 * Resolves after the commit. Rejects with the error of `work` or of the commit, and when PostgreSQL rolled back because a
 * statement had failed. Where the rollback fails, the connection is left in the transaction. `perform` runs a statement and
 * does not release the connection.
 */
export async function runTransaction<T>(
  connection: Connection,
  perform: Query,
  work: (query: Query) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  let open = true;
  let last: Promise<unknown> = Promise.resolve();

  async function inTurn(run: QueryRun, queryOptions?: QueryOptions): Promise<QueryResult> {
    const before = last;
    await before.catch(() => undefined);
    // A pending cancel request would cancel this statement instead.
    if (connection.canceling !== undefined) await connection.canceling;
    if (queryOptions?.signal?.aborted) throw cancellationError(queryOptions.signal);
    return perform(run, queryOptions);
  }
  const enqueue: Query = (run, queryOptions) => {
    const result = inTurn(run, queryOptions);
    last = result;
    return result;
  };
  const within: Query = (run, queryOptions) =>
    open ? enqueue(run, queryOptions) : Promise.reject(new Error('the transaction has ended'));

  try {
    await enqueue({ text: beginText(options), values: [] });
    const result = await work(within);
    open = false;
    const { command } = await enqueue({ text: 'commit', values: [] });
    if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed, so it was rolled back');
    return result;
  } catch (error) {
    open = false;
    // Waits for statements that `work` did not await.
    await last.catch(() => undefined);
    const inside = !connection.closed && connection.wire.status !== 'I';
    if (inside) await enqueue({ text: 'rollback', values: [] }).catch(() => undefined);
    if (options.readOnly && isPostgresError(error) && error.code === READ_ONLY_TRANSACTION)
      throw writeInReadOnly(error);
    throw error;
  }
}

function writeInReadOnly(cause: Error): ServiceError {
  return new ServiceError('not-supported', 'the statement writes, and its transaction is read-only', { cause });
}

function beginText(options: TransactionOptions): string {
  const isolation = options.isolation === undefined ? '' : ` isolation level ${options.isolation}`;
  const begin = `begin${isolation}${options.readOnly ? ' read only' : ''}`;
  if (options.settings === undefined) return begin;
  // In the same message, so that they need no round trip.
  return `${begin}; ${setSettings(options.settings)}`;
}

/** Returns the statement that sets settings until the transaction ends. */
export function setSettings(settings: Readonly<Record<string, string>>): string {
  const calls = Object.entries(settings).map(
    ([name, text]) => sql`pg_catalog.set_config(${literal(name)}, ${literal(text)}, true)`,
  );
  return compile(sql`select ${join(calls, ', ')}`).text;
}
