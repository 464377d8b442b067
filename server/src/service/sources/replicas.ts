/** A database whose queries are answered by its copies, in turn, and by itself when none of them can. */
import { ServiceError } from '../../base/errors.ts';
import type { Database, QueryOptions, QueryResult, QueryRun } from '../../postgres/client/pool.ts';
import { fromPostgres, isPostgresError } from '../../postgres/sql/errors.ts';

/** How long a copy that could not be reached is left alone. Milliseconds. */
const restMs = 5_000;

/**
 * Nothing but `query` goes to the copies: transactions are the primary's. The parts stay the property of who gave them:
 * `close` closes none of them.
 */
export function withReplicas(primary: Database, replicas: readonly Database[]): Database {
  const resting = new Map<Database, number>();
  let turn = 0;

  /** Those to ask, the first of them first. */
  function order(): readonly Database[] {
    const now = performance.now();
    const ready = replicas.filter((replica) => (resting.get(replica) ?? 0) <= now);
    const start = ready.length === 0 ? 0 : turn++ % ready.length;
    return [...ready.slice(start), ...ready.slice(0, start), primary];
  }

  async function query(run: QueryRun, options?: QueryOptions): Promise<QueryResult> {
    for (const database of order()) {
      // Each server has prepared statements of its own, and may be behind a pooler that keeps none.
      const own = run.name === undefined ? run : { ...run, name: database.prepared(run.text) };
      try {
        const result = await database.query(own, { ...options, reads: true });
        resting.delete(database);
        return result;
      } catch (error) {
        if (database === primary || options?.signal?.aborted || !isAway(error)) throw error;
        resting.set(database, performance.now() + restMs);
      }
    }
    throw new TypeError('the primary was not asked');
  }

  return { ...primary, query, close: async () => {} };
}

/** Not reachable, shutting down, full, or busy catching up with its primary. */
function isAway(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'busy';
  return isPostgresError(error) && (error.code === '40001' || fromPostgres(error).code === 'busy');
}
