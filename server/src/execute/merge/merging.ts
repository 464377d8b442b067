/** Merges reads that run at the same time and have the same plan into one statement. */
import type { Database } from '../../postgres/client/pool.ts';
import type { QueryOptions, QueryResult } from '../../postgres/client/statement-run.ts';
import { createWatchdog } from '../../postgres/client/watchdog.ts';
import type { Mergeable } from './mergeable.ts';
import { MergeQueue, type MergeStats } from './queue.ts';

/** `always` merges every read that may be merged, also one alone; for tests. */
export type MergeMode = 'off' | 'auto' | 'always';

/** The read of one request. */
export interface MergeableRead {
  readonly mergeable: Mergeable;
  /** The statement of the request alone. */
  readonly text: string;
  /** Not traced: each request has a span in `options`. */
  readonly database: Database;
  readonly values: readonly unknown[];
  readonly options: QueryOptions;
}

export interface Merging {
  /** Resolves to the rows of the statement. Rejects with the error of the statement of the request alone. */
  run(read: MergeableRead): Promise<QueryResult['rows']>;
  readonly stats: () => Readonly<MergeStats>;
}

/** Returns undefined for `off`. */
export function createMerging(mode: MergeMode): Merging | undefined {
  if (mode === 'off') return undefined;
  const stats: MergeStats = { statements: 0, requests: 0, failures: 0 };
  const watchdog = createWatchdog();
  const queues = new WeakMap<Mergeable, WeakMap<Database, MergeQueue>>();

  function queueOf({ mergeable, text, database, options: { role } }: MergeableRead): MergeQueue {
    const known = queues.get(mergeable) ?? new WeakMap<Database, MergeQueue>();
    queues.set(mergeable, known);
    const found = known.get(database);
    if (found?.role === role && found !== undefined) return found;
    const queue = new MergeQueue({ mergeable, text, database, role, watchdog, stats, always: mode === 'always' });
    known.set(database, queue);
    return queue;
  }

  return {
    run: (read) => {
      const { database, text, values, options } = read;
      const run = async (given: QueryOptions): Promise<QueryResult['rows']> =>
        (await database.query({ text, values, name: database.prepared(text) }, given)).rows;
      return new Promise((resolve, reject) => {
        queueOf(read).add({ values, options, run, resolve, reject, canceled: false });
      });
    },
    stats: () => stats,
  };
}
