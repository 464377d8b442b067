/** Commits that wait for a synchronous standby, on a server that belongs to the test. */
import type { Database } from '../../../src/postgres/client/pool.ts';
import { until } from '../until.ts';

const waiting = `from pg_stat_activity where wait_event = 'SyncRep'`;

const run = (database: Database, text: string) => database.query({ text, values: [] });

/**
 * Makes all commits of the server wait for a standby that does not exist while `work` runs. `work` must not wait for the
 * end of a commit. Needs two connections.
 */
export async function whileCommitsWait<T>(database: Database, work: () => Promise<T>): Promise<T> {
  try {
    await run(database, `alter system set synchronous_standby_names = 'absent'`);
    await run(database, 'select pg_reload_conf()');
    // Commits wait once the checkpointer has read the setting; `show` returns what another process has read.
    await until('a commit waits', () => tryCommit(database));
    return await work();
  } finally {
    await run(database, 'alter system reset synchronous_standby_names');
    await run(database, 'select pg_reload_conf()');
  }
}

/** Waits until `count` commits wait. */
export async function untilCommitsWait(database: Database, count: number): Promise<void> {
  await until(`${count} commits wait`, async () => (await run(database, `select ${waiting}`)).rows.length === count);
}

/** Cancels the wait of all commits that wait now. Returns their number. */
export async function cancelWaits(database: Database): Promise<number> {
  return (await run(database, `select pg_cancel_backend(pid) ${waiting}`)).rows.length;
}

/** Commits a transaction. Returns whether it waited, after its wait has been canceled. */
async function tryCommit(database: Database): Promise<boolean> {
  let hasEnded = false;
  const commit = run(database, `select pg_logical_emit_message(true, 'test', '')`)
    .catch(() => undefined)
    .finally(() => {
      hasEnded = true;
    });
  let canceled = 0;
  await until('a commit ends', async () => {
    canceled = await cancelWaits(database);
    return canceled > 0 || hasEnded;
  });
  await commit;
  return canceled > 0;
}
