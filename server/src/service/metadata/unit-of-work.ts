/** One unit of work: a transaction on each database that it touches, all committed or all rolled back. */
import type { Database, Query } from '../../postgres/client/pool.ts';

export interface Unit {
  /** Queries in the transaction on `database`, which begins with the first of them. */
  query(database: Database): Promise<Query>;
  isOpen(): boolean;
  /** From here on a failed step can be undone. */
  savepoint(): Promise<void>;
  /** Undoes what has been done since the last savepoint. */
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

export interface UnitOptions {
  /** Statements of others will run in it, so the sessions are not used again afterwards. */
  readonly dispose: boolean;
  /** Whose share of the pools it uses; undefined for the service itself. */
  readonly role?: string | undefined;
}

export function createUnit(options: UnitOptions): Unit {
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
      // One that could not begin has nothing to roll back.
      await Promise.allSettled(ends);
    },
  };
}

/** Turns the callback of `Database.transaction` into a transaction whose end is decided from outside. */
function begin(database: Database, options: UnitOptions): Promise<Transaction> {
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
