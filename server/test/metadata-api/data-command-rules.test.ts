/** Data commands of the v1 API, a row for each rule: conditions, orders, and the columns that a role may name. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { trackRelated } from '../support/service/related-tables.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table owner (id int primary key, name text not null, code text);
  create table item (id int primary key, owner_id int references owner, name text unique, low int, high int,
    note json, tags jsonb, secret text);
`;
const rows = `truncate owner, item;
  insert into owner values (1, 'Ann', 'Ann'), (2, 'Bea', 'x');
  insert into item values (1, 1, 'Ann', 1, 2, '{}', '{"a": 1}', 's'), (2, 2, 'two', 5, 5, null, null, null);
`;

let service: TestService;
const user = { 'x-service-role': 'user', 'x-service-user-id': '1' };
const writer = { 'x-service-role': 'writer' };
const admin = { 'x-service-role': 'admin' };

beforeAll(async () => {
  service = await startService({}, { sql });
  const permit = (kind: string, table: string, role: string, permission: unknown) => ({
    type: `create_${kind}_permission`,
    args: { table, role, permission },
  });
  const columns = ['id', 'name', 'low', 'high'];
  await service.command('bulk', [
    ...trackRelated({ table: 'item', column: 'owner_id', target: 'owner', toOne: 'owner', toMany: 'items' }),
    permit('select', 'item', 'user', { columns, filter: {} }),
    permit('insert', 'item', 'user', { columns, check: {}, set: { owner_id: 'x-service-user-id' } }),
    permit('update', 'item', 'user', { columns: ['name'], filter: {}, set: { secret: 'changed' } }),
    permit('update', 'item', 'writer', { columns: ['name'], filter: {} }),
    permit('delete', 'item', 'writer', { filter: {} }),
    permit('insert', 'item', 'writer', { columns: ['id', 'name'], check: {} }),
  ]);
});

beforeEach(() => service.command('run_sql', { sql: rows }));

afterAll(() => service?.stop());

const send = (type: string, args: object, session: Readonly<Record<string, string>>) =>
  service.post('/v1/query', { type, args: { table: 'item', ...args } }, session);

describe('a condition', () => {
  test.each<readonly [string, object, readonly number[]]>([
    ['compares two columns by _ceq', { low: { _ceq: 'high' } }, [2]],
    ['compares two columns by $cne', { low: { $cne: 'high' } }, [1]],
    ['compares two columns by _cneq', { low: { _cneq: 'high' } }, [1]],
    ['compares two columns by _cgt', { high: { _cgt: 'low' } }, [1]],
    ['compares two columns by _clt', { low: { _clt: 'high' } }, [1]],
    ['compares two columns by $cgte', { low: { $cgte: 'high' } }, [2]],
    ['compares two columns by _clte', { low: { _clte: 'high' } }, [1, 2]],
    ['compares a column of a related row with another of it', { owner: { name: { _ceq: 'code' } } }, [1]],
    ['compares a column of a related row with one of the row', { owner: { name: { _ceq: ['$', 'name'] } } }, [1]],
    ['combines comparisons of columns by $not', { $not: { low: { $ceq: 'high' } } }, [1]],
    ['tests casts in lower case', { tags: { $cast: { string: { $like: '%a%' } } } }, [1]],
    ['takes operators of both spellings together', { id: { $gte: 1, _lte: 1 } }, [1]],
  ])('%s', async (_rule, where, ids) => {
    const { body } = await send('select', { columns: ['id'], where, order_by: 'id' }, admin);
    expect(body).toEqual(ids.map((id) => ({ id })));
  });

  test.each<readonly [string, object, object, object]>([
    ['an unknown column', admin, { x: 1 }, { code: 'not-exists', path: '$.args.where.x' }],
    ['an unknown operator', admin, { id: { $x: 1 } }, { code: 'unexpected-payload', path: '$.args.where.id' }],
    [
      'an operator of another type',
      admin,
      { id: { _has_key: 'a' } },
      { code: 'unexpected-payload', path: '$.args.where.id' },
    ],
    [
      'a column of type json',
      admin,
      { note: {} },
      {
        code: 'unexpected-payload',
        path: '$.args.where.note',
        error: 'JSON column can not be part of boolean expression',
      },
    ],
    ['an unknown cast', admin, { id: { $cast: { x: {} } } }, { code: 'unexpected-payload' }],
    [
      'an unknown column on the right',
      admin,
      { id: { _ceq: 'x' } },
      { code: 'not-exists', path: '$.args.where.id._ceq' },
    ],
    [
      'a path through a relationship on the right',
      admin,
      { id: { _ceq: ['owner', 'id'] } },
      { code: 'unexpected-payload', path: '$.args.where.id._ceq' },
    ],
    [
      'a column that the role may not select',
      user,
      { $or: [{ id: 1 }, { secret: 's' }] },
      { code: 'permission-denied', path: '$.args.where.$or[1].secret' },
    ],
    [
      'a column on the right that the role may not select',
      user,
      { name: { _ceq: 'secret' } },
      { code: 'permission-denied', path: '$.args.where.name._ceq' },
    ],
    [
      'a relationship to a table that the role may not select',
      user,
      { owner: {} },
      { code: 'permission-denied', path: '$.args.where.owner' },
    ],
  ])('rejects %s', async (_rule, session, where, error) => {
    for (const type of ['select', 'count']) {
      const columns = type === 'select' ? { columns: ['id'] } : {};
      const response = await send(type, { ...columns, where }, session as typeof admin);
      expect(response).toMatchObject({ status: 400, body: error });
    }
  });
});

describe('an order', () => {
  test.each<readonly [string, object, unknown, object]>([
    [
      'by an array relationship',
      { table: 'owner' },
      'items.id',
      { code: 'unexpected-payload', path: '$.args.order_by' },
    ],
    ['by an unknown column', {}, ['id', '-x'], { code: 'not-exists', path: '$.args.order_by[1]' }],
    ['by an unknown column of a relationship', {}, 'owner.x', { code: 'not-exists', path: '$.args.order_by' }],
  ])('%s is rejected', async (_rule, table, order_by, error) => {
    expect(await send('select', { columns: ['id'], order_by, ...table }, admin)).toMatchObject({
      status: 400,
      body: error,
    });
  });

  test('by a column that the role may not select is rejected', async () => {
    expect(await send('select', { columns: ['id'], order_by: '+secret' }, user)).toMatchObject({
      status: 400,
      body: { code: 'permission-denied', path: '$.args.order_by' },
    });
  });
});

test.each<readonly [string, string, object, object, object]>([
  [
    'insert: an unknown column',
    'insert',
    admin,
    { objects: [{ id: 3 }, { x: 1 }] },
    { code: 'not-exists', path: '$.args.objects[1].x' },
  ],
  [
    'insert: a column that the role may not insert',
    'insert',
    user,
    { objects: [{ id: 3, secret: 's' }] },
    {
      code: 'permission-denied',
      path: '$.args.objects[0].secret',
      error: 'role "user" does not have permission to insert column "secret"',
    },
  ],
  [
    'insert: a column with a preset',
    'insert',
    user,
    { objects: [{ id: 3, owner_id: 2 }] },
    { code: 'not-supported', path: '$.args.objects[0].owner_id' },
  ],
  [
    'insert: rows to return without permission to select',
    'insert',
    writer,
    { objects: [{ id: 3 }], returning: [] },
    { code: 'permission-denied', path: '$.args.returning' },
  ],
  [
    'insert: an update of a column in conflict that is not updatable',
    'insert',
    user,
    { objects: [{ id: 1, name: 'x' }], on_conflict: { action: 'update', constraint: 'item_pkey' } },
    { code: 'validation-failed', error: 'column "id" is not updatable', path: '$.args.on_conflict' },
  ],
  [
    'update: an unknown column',
    'update',
    admin,
    { where: {}, $set: { x: 1 } },
    { code: 'not-exists', path: '$.args.$set.x' },
  ],
  [
    'update: an unknown column of values',
    'update',
    admin,
    { where: {}, values: { x: 1 } },
    { code: 'not-exists', path: '$.args.values.x' },
  ],
  [
    'update: a column that the role may not update',
    'update',
    user,
    { where: {}, $inc: { low: 1 } },
    { code: 'permission-denied', path: '$.args.$inc.low' },
  ],
  [
    'update: a column with a preset',
    'update',
    user,
    { where: {}, $set: { secret: 's' } },
    { code: 'not-supported', path: '$.args.$set.secret' },
  ],
  [
    'update: an unknown column of $default',
    'update',
    admin,
    { where: {}, $default: ['name', 'x'] },
    { code: 'not-exists', path: '$.args.$default[1]' },
  ],
  [
    'update: a role without permission to select',
    'update',
    writer,
    { where: {}, $set: { name: 'x' } },
    { code: 'permission-denied', path: '$.args' },
  ],
  [
    'delete: a role without permission to select',
    'delete',
    writer,
    { where: {} },
    { code: 'permission-denied', path: '$.args' },
  ],
  [
    'delete: a role without permission to delete',
    'delete',
    user,
    { where: {} },
    { code: 'permission-denied', path: '$.args' },
  ],
  ['count: a role without permission to select', 'count', writer, {}, { code: 'permission-denied', path: '$.args' }],
])('%s is rejected', async (_rule, type, session, args, error) => {
  expect(await send(type, args, session as typeof admin)).toMatchObject({ status: 400, body: error });
  expect(await service.command('count', { table: 'item', where: { name: { $in: ['Ann', 'two'] } } })).toEqual({
    count: 2,
  });
});

test.each<readonly [string, string, object, string]>([
  ['an object to insert', 'insert', { objects: [{ id: 3 }, { id: 'x' }] }, '$.args.objects[1].id'],
  ['a condition', 'delete', { where: { id: { $eq: 'x' } } }, '$.args.where.id._eq'],
  ['a change', 'update', { where: {}, $set: { low: 'x' } }, '$.args.$set.low'],
  ['an increment', 'update', { where: {}, $inc: { low: 'x' } }, '$.args.$inc.low'],
  ['a limit', 'select', { columns: ['id'], limit: 'x' }, '$.args.limit'],
  [
    'the condition of a relationship',
    'select',
    { table: 'owner', columns: [{ name: 'items', columns: ['id'], where: { $or: [{ low: 'x' }] } }] },
    '$.args.columns[0].where._or[0].low._eq',
  ],
])('the error of an invalid value in %s has its path', async (_place, type, args, path) => {
  expect(await send(type, args, admin)).toMatchObject({ status: 400, body: { path } });
});

test('a role without permission to select inserts rows, and the presets of its role apply', async () => {
  expect((await send('insert', { objects: [{ id: 3, name: 'c' }] }, writer)).body).toEqual({ affected_rows: 1 });
  await send('insert', { objects: [{ id: 4 }] }, user);
  await send('update', { where: { id: 4 }, $set: { name: 'd' } }, user);
  expect(await service.command('select', { table: 'item', columns: ['owner_id', 'secret'], where: { id: 4 } })).toEqual(
    [{ owner_id: 1, secret: 'changed' }],
  );
});

describe('expected_rows', () => {
  const conflict = (count: number, path: string) => ({
    status: 409,
    body: expect.objectContaining({
      code: 'conflict',
      error: `the condition selects ${count} rows instead of the expected 1; nothing was changed`,
      path,
    }),
  });
  const names = async (): Promise<unknown> =>
    service.command('select', { table: 'item', columns: ['name'], order_by: 'id' });

  test.each<readonly [string, object]>([
    ['update', { where: { id: 1, name: 'Ann' }, $set: { name: 'Anna' } }],
    ['delete', { where: { id: 1 } }],
  ])('%s changes the expected number of rows', async (type, args) => {
    expect(await send(type, { ...args, expected_rows: 1 }, admin)).toMatchObject({
      status: 200,
      body: { affected_rows: 1 },
    });
  });

  test.each<readonly [string, object, number]>([
    ['update', { where: { id: 1, name: 'Bob' }, $set: { name: 'Anna' } }, 0],
    ['update', { where: {}, $set: { low: 0 } }, 2],
    ['delete', { where: {} }, 2],
  ])('%s of another number of rows is undone', async (type, args, count) => {
    const before = await names();
    const response = await send(type, { ...args, expected_rows: 1 }, admin);
    expect(response).toMatchObject(conflict(count, '$.args.expected_rows'));
    expect(await names()).toEqual(before);
  });

  test('undoes the other commands of a bulk', async () => {
    const before = await names();
    const update = (id: number, name: string) => ({
      type: 'update',
      args: { table: 'item', where: { id }, $set: { name }, expected_rows: 1 },
    });
    const response = await service.post('/v2/query', { type: 'bulk', args: [update(1, 'x'), update(9, 'y')] }, admin);
    expect(response).toMatchObject(conflict(0, '$.args[1].args.expected_rows'));
    expect(await names()).toEqual(before);
  });
});

test('requests of GraphQL have no comparison of two columns', async () => {
  expect(await service.graphql('{ item(where: {low: {_ceq: ["high"]}}) { id } }')).toMatchObject({
    errors: [{ extensions: { code: 'validation-failed' } }],
  });
});
