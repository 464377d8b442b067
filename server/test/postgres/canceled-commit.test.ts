/** Commits whose wait for a synchronous standby is canceled: only the primary has committed them. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Database } from '../../src/postgres/client/pool.ts';
import type { QueryOptions } from '../../src/postgres/client/statement-run.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { connect } from '../support/database/test-database.ts';

const directory = mkdtempSync(join(tmpdir(), 'joinery-standby-'));
chmodSync(directory, 0o755);
let server: EmbeddedPostgres;
let admin: Database;

const run = (database: Database, text: string, options?: QueryOptions) => database.query({ text, values: [] }, options);

/** Sets the synchronous standby. With an empty name no commit waits; with the name of a missing standby every commit waits. */
async function setStandby(name: string): Promise<void> {
  await run(admin, `alter system set synchronous_standby_names = '${name}'`);
  await run(admin, 'select pg_reload_conf()');
  await vi.waitUntil(async () => (await run(admin, 'show synchronous_standby_names')).rows[0]?.[0] === name, 20_000);
}

beforeAll(async () => {
  server = await startEmbedded({ directory: join(directory, 'data'), settings: { fsync: 'off' } });
  admin = connect(server.url, 2);
  await run(admin, 'create table entry (id int primary key)');
  await setStandby('nowhere');
});

afterAll(async () => {
  await setStandby('');
  await admin.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Cancels the backend that waits for a standby. */
async function cancelWaiting(): Promise<void> {
  const text = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
  await vi.waitUntil(async () => (await run(admin, text)).rows.length === 1, 20_000);
}

describe('reports an unknown outcome if the wait for a standby is canceled', () => {
  test.each<[string, (database: Database) => Promise<unknown>]>([
    ['for the commit of a single statement', (database) => run(database, 'insert into entry values (1)')],
    [
      'for the commit of a transaction',
      (database) => database.transaction((query) => query({ text: 'insert into entry values (2)', values: [] })),
    ],
  ])('%s', async (_case, write) => {
    const database = connect(server.url, 1);
    const outcome = write(database).then(
      () => 'committed',
      (error: unknown) => (error as { code?: unknown }).code,
    );
    await cancelWaiting();
    expect(await outcome).toBe('unknown-outcome');
    await database.close();
  });
});
