/** `POST /v1/import_rows`: many rows into one table, all or none. */
import type { ImportLine } from '@joinery/metadata/api/sources/import-rows';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table item (id int primary key, name text not null, price numeric, tags text[], added date default '2026-01-01', code text unique);
`;
const admin = { 'x-service-role': 'admin' };
let service: TestService;

beforeAll(async () => {
  service = await startService({ JOINERY_MAX_IMPORT_BYTES: '1000000' }, { sql });
  await service.command('track_table', 'item');
});

beforeEach(() => service.command('run_sql', { sql: `truncate item; insert into item (id, name) values (0, 'zero')` }));

afterAll(() => service?.stop());

const bodyOf = (args: object, rows: readonly unknown[]): string =>
  [{ table: 'item', ...args }, ...rows]
    .map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
    .join('');

const importRows = (rows: readonly unknown[], args: object = {}, headers: Readonly<Record<string, string>> = admin) =>
  service.post('/v1/import_rows', bodyOf(args, rows), headers);

const ids = async (): Promise<readonly number[]> =>
  ((await service.command('select', { table: 'item', columns: ['id'], order_by: 'id' })) as { id: number }[]).map(
    ({ id }) => id,
  );

const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `n${index}` }));

test('inserts rows with values of all kinds, defaults for absent members and all digits', async () => {
  const rows = [
    '{"id": 1, "name": "", "price": 12345678901234567890.5, "tags": ["a", null]}',
    { id: 2, name: 'b', added: null },
  ];
  expect(await importRows(rows)).toMatchObject({ status: 200, body: { rows: 2, affected_rows: 2 } });
  const read = await service.command('run_sql', {
    sql: 'select id, name, price::text, tags::text, added::text from item where id > 0 order by id',
  });
  expect(read).toMatchObject({
    result: [
      expect.anything(),
      ['1', '', '12345678901234567890.5', '{a,NULL}', '2026-01-01'],
      ['2', 'b', 'NULL', 'NULL', 'NULL'],
    ],
  });
});

test('imports more rows than one statement takes, and reports the progress', async () => {
  const response = await fetch(`${service.url}/v1/import_rows`, {
    method: 'POST',
    headers: { ...admin, accept: 'application/x-ndjson' },
    body: bodyOf({}, numbered(2_500)),
  });
  const lines = (await response.text())
    .trim()
    .split('\n')
    .map((line): ImportLine => JSON.parse(line));
  expect(lines).toEqual([
    { processed: 1_000 },
    { processed: 2_000 },
    { processed: 2_500 },
    { rows: 2_500, affected_rows: 2_500 },
  ]);
});

test('lists every row that cannot be inserted with its reason, and inserts none', async () => {
  const rows: object[] = numbered(1_200);
  rows[1] = { id: 2 };
  rows[700] = { id: 1, name: 'twice' };
  rows[1_100] = { id: 1_101, name: 'c', price: 'cheap' };
  const { status, body } = await importRows(rows);
  expect(status).toBe(400);
  expect(body).toMatchObject({
    code: 'data-exception',
    path: '$.rows[1]',
    errors: [
      { row: 1, code: 'constraint-violation', error: expect.stringContaining('"name"') },
      { row: 700, code: 'constraint-violation', error: expect.stringContaining('item_pkey') },
      { row: 1_100, error: expect.stringContaining('cheap') },
    ],
  });
  expect(await ids()).toEqual([0]);
});

test('stops after the permitted number of errors', async () => {
  const { body } = await importRows([{}, {}, {}], { max_errors: 2 });
  expect(body).toMatchObject({ errors: [{ row: 0 }, { row: 1 }] });
  expect((body as { errors: unknown[] }).errors).toHaveLength(2);
});

test('skips or updates existing rows by a unique constraint, also those of an earlier line', async () => {
  const rows = [
    { id: 0, name: 'again' },
    { id: 1, name: 'a' },
    { id: 1, name: 'b' },
  ];
  const names = async () => service.command('select', { table: 'item', columns: ['name'], order_by: 'id' });
  const ignore = { on_conflict: { action: 'ignore', constraint: 'item_pkey' } };
  expect(await importRows(rows, ignore)).toMatchObject({ body: { rows: 3, affected_rows: 1 } });
  expect(await names()).toEqual([{ name: 'zero' }, { name: 'a' }]);
  const update = { on_conflict: { action: 'update', constraint: 'item_pkey', update_columns: ['name'] } };
  expect(await importRows(rows, update)).toMatchObject({ body: { rows: 3, affected_rows: 3 } });
  expect(await names()).toEqual([{ name: 'again' }, { name: 'b' }]);
});

test.each([
  ['a line that is not JSON', ['{"id": 1', { id: 2 }], {}, { code: 'invalid-json', path: '$.rows[0]' }],
  ['a row that is no object', [{ id: 1, name: 'a' }, [2]], {}, { code: 'parse-failed', path: '$.rows[1]' }],
  ['a column that does not exist', [{ id: 1, nam: 'a' }], {}, { code: 'not-exists', path: '$.rows[0].nam' }],
  ['a table that does not exist', [{ id: 1 }], { table: 'none' }, { code: 'not-exists', path: '$.args.table' }],
  [
    'an unknown constraint',
    [{ id: 1, name: 'a' }],
    { on_conflict: { action: 'ignore', constraint: 'no' } },
    { path: '$.args.on_conflict.constraint' },
  ],
  ['an unknown argument', [], { columns: [] }, { code: 'parse-failed' }],
])('rejects %s, and inserts no row', async (_what, rows, args, expected) => {
  const { status, body } = await importRows(rows, args);
  expect(status).toBe(400);
  expect(body).toMatchObject(expected);
  expect(await ids()).toEqual([0]);
});

test('is for admins only', async () => {
  expect(await importRows([{ id: 1, name: 'a' }], {}, { 'x-service-role': 'user' })).toMatchObject({
    status: 400,
    body: { code: 'access-denied' },
  });
});

test('rejects a body beyond JOINERY_MAX_IMPORT_BYTES and names the setting', async () => {
  expect(await importRows([{ id: 1, name: 'x'.repeat(1_100_000) }])).toMatchObject({
    status: 413,
    body: { code: 'payload-too-large', error: expect.stringContaining('JOINERY_MAX_IMPORT_BYTES') },
  });
});

test('inserts nothing when the client disconnects', async () => {
  await service.command('run_sql', {
    sql: `create or replace function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.002); return new; end';
      create trigger slow before insert on item for each row execute function slow()`,
  });
  const controller = new AbortController();
  const response = await fetch(`${service.url}/v1/import_rows`, {
    method: 'POST',
    headers: { ...admin, accept: 'application/x-ndjson' },
    body: bodyOf({}, numbered(5_000)),
    signal: controller.signal,
  });
  expect(response.status).toBe(200);
  controller.abort();
  const running = `select count(*)::text from pg_stat_activity where state <> 'idle' and pid <> pg_backend_pid() and xact_start is not null and datname = current_database()`;
  await expect
    .poll(async () => service.command('run_sql', { sql: running }), { timeout: 20_000 })
    .toMatchObject({ result: [['count'], ['0']] });
  await service.command('run_sql', { sql: 'drop trigger slow on item' });
  expect(await ids()).toEqual([0]);
});

test('the audit log contains the import without its rows', async () => {
  await importRows([{ id: 1, name: 'private' }]);
  const { entries } = (await service.command('get_audit_log', { command: 'import_rows', limit: 1 })) as {
    entries: readonly { arguments: string }[];
  };
  expect(entries).toMatchObject([{ command: 'import_rows', outcome: 'success' }]);
  expect(entries[0]?.arguments).not.toContain('private');
});
