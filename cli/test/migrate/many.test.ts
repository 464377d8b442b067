/** Tests that migrations which change nothing that is tracked do not read the catalog of the database. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Proxy as DatabaseProxy, startProxy } from '../../../server/test/support/database/postgres-proxy.ts';
import { type TestDatabase, testDatabase } from '../../../server/test/support/database/test-database.ts';
import { startService, type TestService } from '../../../server/test/support/service/test-service.ts';
import { joinery } from '../support/command.ts';
import { writeFiles } from '../support/running-command.ts';

const TABLES = 200;
const MIGRATIONS = 60;

let database: TestDatabase;
let interceptor: DatabaseProxy;
let service: TestService;
let folder: string;
/** Statements that the service sent, in order. */
let sent = '';

beforeAll(async () => {
  const tables = Array.from({ length: TABLES }, (_, index) => `create table t${index} (id int primary key, name text)`);
  database = await testDatabase({ sql: tables.join(';\n') });
  interceptor = await startProxy(database.url, {
    cuts: (data) => {
      sent += data;
      return false;
    },
  });
  const settings = { JOINERY_DATABASE_URL: interceptor.url, JOINERY_USE_PREPARED_STATEMENTS: 'false' };
  service = await startService(settings, database);
  const names = Array.from({ length: TABLES }, (_, index) => ({ table: { schema: 'public', name: `t${index}` } }));
  await service.command('pg_track_tables', { tables: names });
  folder = await mkdtemp(join(tmpdir(), 'joinery-many-'));
  const files = Array.from({ length: MIGRATIONS }, (_, index): [string, string] => [
    `migrations/default/${1000 + index}_m/up.sql`,
    `create table extra${index} (id int);\ncreate index on extra${index} (id);\n`,
  ]);
  await writeFiles(folder, { 'config.yaml': `version: 3\nendpoint: ${service.url}\n`, ...Object.fromEntries(files) });
});

afterAll(async () => {
  await service.stop();
  await interceptor.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function count(pattern: RegExp): number {
  return sent.match(pattern)?.length ?? 0;
}

it('reads the catalog once for all migrations, and each migration has a fixed number of statements', async () => {
  sent = '';
  await service.command('reload_metadata', { reload_remote_schemas: false });
  const reads = count(/pg_catalog\.pg_class/g);
  expect(reads).toBeGreaterThan(0);
  sent = '';
  expect(await joinery(['migrate', 'apply', '--project', folder])).toMatchObject({ code: 0, err: '' });
  expect(count(/pg_catalog\.pg_class/g)).toBe(reads);
  // The audit log has the SQL as JSON, after a quotation mark.
  expect(count(/(?<!")create table extra/g)).toBe(MIGRATIONS);
  // For each migration the guard, the SQL and the record, each with a savepoint. Three commands before read and prepare the record.
  expect(count(/release savepoint/g)).toBe(3 * MIGRATIONS + 3);
});
