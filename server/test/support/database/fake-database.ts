/** A database whose statements are executed by a function, for tests that count them. */
import type { Database } from '../../../src/postgres/client/pool.ts';
import type { Query } from '../../../src/postgres/client/statement-run.ts';

/** Returns a database without transactions and sessions. */
export function fakeDatabase(query: Query): Database {
  const unused = (): never => {
    throw new TypeError('the database runs single statements only');
  };
  return {
    query,
    transaction: unused,
    session: unused,
    prepared: () => undefined,
    stats: () => ({ total: 0, idle: 0, waiting: 0, size: 0, pipelined: 0 }),
    close: async () => undefined,
  };
}
