/** `createJoinery()`: the service inside a test, without a port. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../server/test/support/database/test-database.ts';
import { createJoinery, type Joinery } from '../src/library.ts';

const source = { name: 'default', kind: 'postgres', configuration: { connection_info: { database_url: 'x' } } };
let database: TestDatabase;
let joinery: Joinery | undefined;

beforeAll(async () => {
  database = await testDatabase({ sql: 'create table city (id int primary key, name text)' });
});

afterAll(async () => {
  await joinery?.close();
  await database.drop();
});

const settings = () => ({ JOINERY_DATABASE_URL: database.url, JOINERY_LOG_LEVEL: 'silent', JOINERY_PORT: '0' });

it('applies the metadata, runs operations with the admin secret, and rejects others', async () => {
  const metadata = { version: 3, sources: [{ name: 'default', kind: 'postgres', tables: [{ table: 'city' }] }] };
  joinery = await createJoinery({
    settings: { ...settings(), JOINERY_ADMIN_SECRET: 'secret', JOINERY_HEADER_PREFIX: 'X-App-' },
    metadata,
  });
  const query = '{ city { id } }';
  const allowed = await joinery.graphql<{ city: unknown[] }>({ query, headers: { 'x-app-admin-secret': 'secret' } });
  const rejected = await joinery.graphql({ query });
  expect([allowed, rejected.errors?.length, joinery.url]).toEqual([{ data: { city: [] } }, 1, undefined]);
});

it('rejects metadata that cannot be applied', async () => {
  const invalid = { version: 3, sources: [{ ...source, tables: 'none' }] };
  await expect(createJoinery({ settings: settings(), metadata: invalid })).rejects.toThrow('replace_metadata');
});

it('rejects a failed command with its error', async () => {
  const failing = await createJoinery({ settings: settings() });
  const failure = await failing.command('no_such_command', {}).catch((error: Error) => error.message);
  await failing.close();
  expect(failure).toContain('no_such_command');
});

it('listens with the option "listens"', async () => {
  const listening = await createJoinery({ settings: settings(), listens: true });
  const { status } = await fetch(`${listening.url}/healthz`);
  await listening.close();
  expect(status).toBe(200);
});
