/** A database whose queries go to replicas in turn, and to the primary when no replica is available. */
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { QueryOptions, QueryResult, QueryRun } from '../../postgres/client/statement-run.ts';
import { fromPostgres, isPostgresError } from '../../postgres/sql/errors.ts';
import type { WalPosition } from './wal-position.ts';

export interface Replica {
  readonly database: Database;
  /** Whether its lag permits queries now. */
  readonly isFresh: () => boolean;
  /** Whether it shows what was committed before the position. Never rejects. */
  readonly hasReplayed: (position: WalPosition) => Promise<boolean>;
}

export interface ReplicatedDatabase {
  readonly database: Database;
  /** Returns the database whose queries use only replicas that have replayed the position. */
  since(position: WalPosition): Database;
}

/** Milliseconds for which an unavailable replica is not used. */
const PAUSE_MS = 5_000;

/**
 * Only `query` uses replicas; transactions use the primary. `close` closes nothing, as the caller owns the databases.
 */
export function withReplicas(primary: Database, replicas: readonly Replica[]): ReplicatedDatabase {
  const pausedUntil = new Map<Replica, number>();
  let turn = 0;

  /** Returns the replicas to try, in order. */
  function order(): readonly Replica[] {
    const now = performance.now();
    const ready = replicas.filter((replica) => (pausedUntil.get(replica) ?? 0) <= now && replica.isFresh());
    const start = ready.length === 0 ? 0 : turn++ % ready.length;
    return [...ready.slice(start), ...ready.slice(0, start)];
  }

  async function queryOne(
    ready: readonly Replica[],
    run: QueryRun,
    options: QueryOptions | undefined,
  ): Promise<QueryResult> {
    for (const replica of ready) {
      try {
        const result = await runOn(replica.database, run, options);
        pausedUntil.delete(replica);
        return result;
      } catch (error) {
        if (options?.signal?.aborted || !isUnavailable(error)) throw error;
        pausedUntil.set(replica, performance.now() + PAUSE_MS);
      }
    }
    return runOn(primary, run, options);
  }

  async function querySince(
    position: WalPosition,
    run: QueryRun,
    options: QueryOptions | undefined,
  ): Promise<QueryResult> {
    const checked = order().map(async (replica) => ((await replica.hasReplayed(position)) ? [replica] : []));
    return queryOne((await Promise.all(checked)).flat(), run, options);
  }

  const close = async (): Promise<void> => {};
  return {
    database: { ...primary, query: (run, options) => queryOne(order(), run, options), close },
    since: (position) => ({
      ...primary,
      query: (run, options) => querySince(position, run, options),
      close,
      // Other requests wait for other positions.
      ofOneRequest: true,
    }),
  };
}

function runOn(database: Database, run: QueryRun, options: QueryOptions | undefined): Promise<QueryResult> {
  // Each server has prepared statements of its own, and may be behind a pooler that keeps none.
  const own = run.name === undefined ? run : { ...run, name: database.prepared(run.text) };
  return database.query(own, { ...options, reads: true });
}

/** Whether a replica is unreachable, shutting down, full, or catching up with its primary. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'busy';
  return isPostgresError(error) && (error.code === '40001' || fromPostgres(error).code === 'busy');
}
