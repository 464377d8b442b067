/** A unit of work: a transaction on each database that it uses, all committed or all rolled back. */
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';

export interface UnitOfWork {
  /** Returns the query function of the transaction on `database`, and begins the transaction where there is none. */
  query(database: Database): Promise<Query>;
  isOpen(): boolean;
  /** Sets a savepoint for `undo`. */
  savepoint(): Promise<void>;
  /** Rolls back to the last savepoint. */
  undo(): Promise<void>;
  /**
   * Commits, `last` after all others. With one database the commit is atomic. With several, one that fails leaves
   * those before it committed and rolls back those after it.
   */
  commit(last: Database): Promise<void>;
  /** Rolls back what has not been committed. */
  rollback(): Promise<void>;
}

interface Transaction {
  readonly query: Query;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export interface UnitOfWorkOptions {
  /** Whether SQL of the caller runs in it, so that its connections are closed afterwards. */
  readonly dispose: boolean;
  /** The role whose share of the pools it uses; undefined for the service itself. */
  readonly role?: string | undefined;
}

export function createUnitOfWork(options: UnitOfWorkOptions): UnitOfWork {
  const open = new Map<Database, Promise<Transaction>>();
  let marked = false;

  async function each(text: string): Promise<void> {
    for (const transaction of open.values()) await (await transaction).query({ text, values: [] });
  }

  return {
    query: async (database) => {
      const known = open.get(database);
      if (known !== undefined) return (await known).query;
      const begun = begin(database, options);
      open.set(database, begun);
      begun.catch(() => open.delete(database));
      const { query } = await begun;
      if (marked) await query({ text: 'savepoint joinery_step', values: [] });
      return query;
    },
    isOpen: () => open.size > 0,
    savepoint: async () => {
      marked = true;
      await each('savepoint joinery_step');
    },
    undo: () => each('rollback to savepoint joinery_step'),
    commit: async (last) => {
      const order = [...open.keys()].sort((one, other) => Number(one === last) - Number(other === last));
      for (const database of order) {
        const transaction = await open.get(database);
        open.delete(database);
        await transaction?.commit();
      }
    },
    rollback: async () => {
      const transactions = [...open.values()];
      open.clear();
      const ends = transactions.map(async (transaction) => (await transaction).rollback());
      // A transaction that did not begin needs no rollback.
      await Promise.allSettled(ends);
    },
  };
}

/** Begins a transaction that is committed or rolled back by methods, rather than by the end of a callback. */
function begin(database: Database, options: UnitOfWorkOptions): Promise<Transaction> {
  return new Promise((resolve, reject) => {
    const done = database.transaction(
      (query) =>
        new Promise<void>((commit, abort) => {
          resolve({
            query,
            commit: () => {
              commit();
              return done;
            },
            rollback: async () => {
              abort(new Error('rolled back'));
              await done.catch(() => undefined);
            },
          });
        }),
      options,
    );
    done.catch(reject);
  });
}
