/** A database whose queries go to replicas in turn, and to the primary when no replica is available. */
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { QueryOptions, QueryResult, QueryRun } from '../../postgres/client/statement-run.ts';
import { fromPostgres, isPostgresError } from '../../postgres/sql/errors.ts';

/** Milliseconds for which an unavailable replica is not used. */
const PAUSE_MS = 5_000;

/**
 * Only `query` uses replicas; transactions use the primary. `close` closes nothing, as the caller owns the databases.
 */
export function withReplicas(primary: Database, replicas: readonly Database[]): Database {
  const pausedUntil = new Map<Database, number>();
  let turn = 0;

  /** Returns the databases to try, in order. */
  function order(): readonly Database[] {
    const now = performance.now();
    const ready = replicas.filter((replica) => (pausedUntil.get(replica) ?? 0) <= now);
    const start = ready.length === 0 ? 0 : turn++ % ready.length;
    return [...ready.slice(start), ...ready.slice(0, start), primary];
  }

  async function query(run: QueryRun, options?: QueryOptions): Promise<QueryResult> {
    for (const database of order()) {
      // Each server has prepared statements of its own, and may be behind a pooler that keeps none.
      const own = run.name === undefined ? run : { ...run, name: database.prepared(run.text) };
      try {
        const result = await database.query(own, { ...options, reads: true });
        pausedUntil.delete(database);
        return result;
      } catch (error) {
        if (database === primary || options?.signal?.aborted || !isUnavailable(error)) throw error;
        pausedUntil.set(database, performance.now() + PAUSE_MS);
      }
    }
    throw new TypeError('no database was tried');
  }

  return { ...primary, query, close: async () => {} };
}

/** Whether a replica is unreachable, shutting down, full, or catching up with its primary. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'busy';
  return isPostgresError(error) && (error.code === '40001' || fromPostgres(error).code === 'busy');
}
