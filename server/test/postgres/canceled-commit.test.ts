/** Commits whose wait for a synchronous standby is canceled: only the primary has committed them. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/postgres/client/pool.ts';
import type { QueryOptions } from '../../src/postgres/client/statement-run.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { connect } from '../support/database/test-database.ts';
import { cancelWaits, whileCommitsWait } from '../support/database/waiting-commits.ts';
import { until } from '../support/until.ts';

const directory = mkdtempSync(join(tmpdir(), 'joinery-standby-'));
chmodSync(directory, 0o755);
let server: EmbeddedPostgres;
let admin: Database;

const run = (database: Database, text: string, options?: QueryOptions) => database.query({ text, values: [] }, options);

beforeAll(async () => {
  server = await startEmbedded({ directory: join(directory, 'data'), settings: { fsync: 'off' } });
  admin = connect(server.url, 2);
  await run(admin, 'create table entry (id int primary key)');
});

afterAll(async () => {
  await admin.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('reports an unknown outcome if the wait for a standby is canceled', () => {
  test.each<[string, (database: Database) => Promise<unknown>]>([
    ['for the commit of a single statement', (database) => run(database, 'insert into entry values (1)')],
    [
      'for the commit of a transaction',
      (database) => database.transaction((query) => query({ text: 'insert into entry values (2)', values: [] })),
    ],
  ])('%s', async (_case, write) => {
    const database = connect(server.url, 1);
    try {
      await whileCommitsWait(admin, async () => {
        const outcome = write(database).then(
          () => 'committed',
          (error: unknown) => (error as { code?: unknown }).code,
        );
        await until('the commit waits', async () => (await cancelWaits(admin)) > 0);
        expect(await outcome).toBe('unknown-outcome');
      });
    } finally {
      await database.close();
    }
  });
});
