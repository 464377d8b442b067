/** The audit log of admin commands: which are written, by whom, how they are searched and retained. */
import type { AuditEntry, AuditLog } from '@joinery/metadata/api/audit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

const secret = 'the-secret-of-admins';
const admin = { 'x-service-admin-secret': secret };

let service: TestService;

beforeAll(async () => {
  service = await startService({ JOINERY_ADMIN_SECRET: secret, HANDLER_TOKEN: 'a-token-of-a-handler' });
});

afterAll(async () => {
  await service?.stop();
});

beforeEach(async () => {
  await sql('delete from joinery.audit_log');
});

const sql = (text: string) => service.database.database.query({ text, values: [] });
const run = (type: string, args: unknown, headers: Readonly<Record<string, string>> = {}) =>
  service.post('/v1/query', { type, args }, { ...admin, ...headers });
const read = async (args: unknown = {}): Promise<AuditLog> => (await run('get_audit_log', args)).body as AuditLog;
const commands = (entries: readonly AuditEntry[]) => entries.map(({ command }) => command);
const collection = (name: string) => run('create_query_collection', { name, definition: { queries: [] } });

test('a command that changes something is written with author, address and request id', async () => {
  const { headers } = await run('run_sql', { source: 'default', sql: 'select 1' });
  const { entries } = await read();
  expect(entries).toMatchObject([
    {
      author: 'admin secret',
      address: '127.0.0.1',
      request_id: headers.get('x-request-id'),
      command: 'run_sql',
      arguments: '{"source":"default","sql":"select 1"}',
      outcome: 'success',
      code: null,
    },
  ]);
});

test('a command that fails is written with its error', async () => {
  await run('pg_track_table', { source: 'default', table: { schema: 'public', name: 'nothing' } });
  expect((await read()).entries).toMatchObject([
    { outcome: 'error', code: 'invalid-configuration', error: expect.stringContaining('nothing') },
  ]);
});

test.each([
  ['NUL', 'a\0b', 'a\\x00b'],
  ['half a surrogate pair', 'a\ud800b', 'a\\ud800b'],
])('a command whose error quotes %s is written with an escape in its place', async (_what, name, written) => {
  await run('pg_track_table', { source: 'default', table: { schema: 'public', name } });
  await collection('later');
  expect((await read()).entries).toMatchObject([
    { command: 'create_query_collection' },
    { command: 'pg_track_table', error: expect.stringContaining(written) },
  ]);
});

test('a command that reads is not written', async () => {
  await run('export_metadata', {});
  await run('run_sql', { source: 'default', sql: 'select 1', read_only: true });
  expect((await read()).entries).toEqual([]);
});

test('secrets of the arguments and of the environment are masked', async () => {
  const headers = [{ name: 'Authorization', value: 'Bearer of-this-event' }];
  await run('create_scheduled_event', {
    webhook: 'http://127.0.0.1:9/a-token-of-a-handler',
    schedule_at: '2100-01-01T00:00:00Z',
    payload: {},
    headers,
  });
  const [entry] = (await read()).entries;
  expect(entry?.arguments).toContain('"headers":[{"name":"Authorization","value":"***"}]');
  expect(entry?.arguments).not.toMatch(/of-this-event|a-token-of-a-handler/);
});

test('pages continue after the last entry of the one before', async () => {
  for (const name of ['a', 'b', 'c']) await collection(name);
  const first = await read({ limit: 2 });
  expect(first.entries).toHaveLength(2);
  const second = await read({ limit: 2, before: first.next });
  expect(second.entries.map((one) => one.arguments)).toEqual(['{"name":"a","definition":{"queries":[]}}']);
  expect(second.next).toBeUndefined();
  for (const name of ['a', 'b', 'c']) await run('drop_query_collection', { collection: name, cascade: false });
});

test('entries are searched by text, command, author, outcome and time', async () => {
  await collection('searched');
  await run('drop_query_collection', { collection: 'SEARCHED', cascade: false });
  await run('drop_query_collection', { collection: 'searched', cascade: false });
  expect(commands((await read({ search: 'Searched', outcome: 'success' })).entries)).toEqual([
    'drop_query_collection',
    'create_query_collection',
  ]);
  expect(commands((await read({ command: 'create_query_collection' })).entries)).toEqual(['create_query_collection']);
  expect((await read({ author: 'unknown' })).entries).toEqual([]);
  expect((await read({ to: '2020-01-01T00:00:00Z' })).entries).toEqual([]);
});

test('a command succeeds while the log cannot be written, and is written later', async () => {
  await sql('alter table joinery.audit_log rename to audit_log_gone');
  expect((await collection('kept')).status).toBe(200);
  await sql('alter table joinery.audit_log_gone rename to audit_log');
  const { entries } = await read();
  expect(commands(entries)).toEqual(['create_query_collection']);
});

test('expired entries are deleted at the start, and none are written with a retention of 0', async () => {
  await sql(
    `insert into joinery.audit_log (at, author, request_id, command, arguments, duration_ms)
     values (now() - interval '91 days', 'a', '', 'old', '{}', 1), (now() - interval '89 days', 'a', '', 'new', '{}', 1)`,
  );
  const other = await startService({}, service.database);
  const commandsIn = async () => (await sql('select command from joinery.audit_log')).rows.map(([one]) => one);
  await until('the expired entry is deleted', async () => (await commandsIn()).length === 1 || undefined);
  await other.stop();
  const silent = await startService({ JOINERY_AUDIT_LOG_RETENTION_DAYS: '0' }, service.database);
  await silent.command('reload_metadata', {});
  expect(await silent.command('get_audit_log', {})).toMatchObject({ retention_days: 0 });
  await silent.stop();
  expect(await commandsIn()).toEqual(['new']);
});
