/** Creates pgcrypto for SQL of projects that come from Hasura v2, whose databases have it. */
import { afterEach, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

let service: TestService;

afterEach(() => service.stop());

const hasura = { JOINERY_HEADER_PREFIX: 'X-Hasura-' };

async function runSql(sql: string, more: object = {}): Promise<{ readonly status: number; readonly body: unknown }> {
  return service.post('/v2/query', { type: 'run_sql', args: { sql, ...more } });
}

async function extensions(): Promise<unknown> {
  const text = `select extname::text, extnamespace::regnamespace::text from pg_extension where extname = 'pgcrypto'`;
  return (await service.database.database.query({ text, values: [] })).rows;
}

it.each([
  ['a default public.gen_random_uuid()', 'create table song (id uuid default public.gen_random_uuid())', {}],
  ['crypt', `select crypt('secret', gen_salt('bf'))`, {}],
  [
    'digest in a function',
    `create function hashed(a text) returns bytea language sql as $$ select digest(a, 'md5') $$`,
    {},
  ],
  ['digest outside of a transaction', `select digest('a', 'md5')`, { no_transaction: true }],
])('creates pgcrypto for %s', async (_name, sql, more) => {
  service = await startService(hasura);
  expect(await runSql(sql, more)).toMatchObject({ status: 200 });
  expect(await extensions()).toEqual([['pgcrypto', 'public']]);
});

it.each([
  ['SQL whose functions PostgreSQL has itself', 'create table song (id uuid default gen_random_uuid())', {}],
  ['SQL that fails', 'select crypt(1); select nothing', {}],
  ['read-only SQL', `select crypt('secret', 'salt')`, { read_only: true }],
  [
    'SQL that defines a function of the name',
    'create function digest(a text) returns text language sql as $$ select a $$',
    {},
  ],
])('does not create it for %s', async (_name, sql, more) => {
  service = await startService(hasura);
  await runSql(sql, more);
  expect(await extensions()).toEqual([]);
});

it.each([
  ['the header prefix is that of the service', {}],
  ['the setting is false', { ...hasura, JOINERY_CREATE_PGCRYPTO: 'false' }],
])('does not create it where %s', async (_name, environment) => {
  service = await startService(environment);
  expect(await runSql(`select crypt('secret', 'salt')`)).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('crypt') },
  });
  expect(await extensions()).toEqual([]);
});

it('creates it with any header prefix where the setting is true', async () => {
  service = await startService({ JOINERY_CREATE_PGCRYPTO: 'true' });
  expect(await runSql('select public.gen_random_uuid()')).toMatchObject({ status: 200 });
});
