/** The data commands of the v1 API: their results, their permissions, and the transaction of a bulk. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id serial primary key, "full name" text, name text, age int);
  create table article (id serial primary key, title text not null unique, author_id int references author);
  create table stock (id int primary key, part text, shelf int, amount int default 5, price money default 1,
    attributes jsonb default '{"a": 1}', unique (part, shelf));
`;

let service: TestService;
const user = { 'x-service-role': 'user', 'x-service-user-id': '1' };

beforeAll(async () => {
  service = await startService({}, { sql });
  const permit = (kind: string, table: string, permission: unknown) => ({
    type: `create_${kind}_permission`,
    args: { table, role: 'user', permission },
  });
  await service.command('bulk', [
    { type: 'track_table', args: 'author' },
    { type: 'track_table', args: 'stock' },
    permit('select', 'stock', { columns: ['id', 'part'], filter: { id: { _gt: 1 } }, query_root_fields: [] }),
    permit('insert', 'stock', { columns: ['id', 'part'], check: {} }),
    {
      type: 'track_table',
      args: { table: 'article', configuration: { column_config: { title: { custom_name: 'headline' } } } },
    },
    {
      type: 'create_object_relationship',
      args: { table: 'article', name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
    },
    {
      type: 'create_array_relationship',
      args: {
        table: 'author',
        name: 'articles',
        using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
      },
    },
    permit('select', 'article', { columns: ['id', 'title'], filter: { author_id: 'x-service-user-id' } }),
    permit('insert', 'article', {
      columns: ['title'],
      check: { title: { _neq: 'bad' } },
      set: { author_id: 'x-service-user-id' },
    }),
  ]);
});

beforeEach(async () => {
  await service.command('run_sql', {
    sql: `truncate author, article, stock restart identity;
      insert into stock (id, part, shelf) values (1, 'nut', 1), (2, 'nut', 2), (3, 'bolt', 1);
      insert into author (name, age) values ('Ann', 30), ('Bea', 40);
      insert into article (title, author_id) values ('one', 1), ('two', 1), ('three', 2)`,
  });
});

afterAll(() => service?.stop());

async function rejectionOf(type: string, args: unknown, session = user): Promise<unknown> {
  const { status, body } = await service.post('/v1/query', { type, args }, session);
  expect(status).not.toBe(200);
  return body;
}

describe('the command select', () => {
  test('returns columns by their SQL names, all columns by *, and relationships', async () => {
    const args = {
      table: 'article',
      columns: ['title', { name: 'author', columns: ['*'] }],
      where: { $or: [{ id: 1 }, { author: { name: { $eq: 'Bea' } } }] },
      order_by: '-id',
    };
    expect(
      await service.command('select', { ...args, columns: ['title', { name: 'author', columns: ['name'] }] }),
    ).toEqual([
      { title: 'three', author: { name: 'Bea' } },
      { title: 'one', author: { name: 'Ann' } },
    ]);
    expect(await service.command('select', { table: 'article', columns: ['*'], limit: 1 })).toEqual([
      { id: 1, title: 'one', author_id: 1 },
    ]);
  });

  test('accepts where, order_by, limit and offset, also for relationships', async () => {
    const articles = { name: 'articles', columns: ['id'], order_by: ['-id'], limit: 1, where: { id: { $ne: 2 } } };
    const order = [{ column: 'age', type: 'desc', nulls: 'last' }];
    const args = { table: 'author', columns: ['name', articles], order_by: order, offset: 1 };
    expect(await service.command('select', args)).toEqual([{ name: 'Ann', articles: [{ id: 1 }] }]);
    const byAuthor = { table: 'article', columns: ['id'], order_by: [{ column: 'author.name', type: 'desc' }, '+id'] };
    expect(await service.command('select', byAuthor)).toEqual([{ id: 3 }, { id: 1 }, { id: 2 }]);
  });

  test.each<readonly [string, unknown, object]>([
    ['an unknown table', { table: 'x', columns: ['*'] }, { code: 'not-exists', path: '$.args.table' }],
    ['an unknown column', { table: 'article', columns: ['x'] }, { code: 'not-exists', path: '$.args.columns[0]' }],
    ['an unknown relationship', { table: 'article', columns: [{ name: 'x', columns: [] }] }, { code: 'not-exists' }],
    ['no columns', { table: 'article', columns: [] }, { code: 'parse-failed', path: '$.args.columns' }],
    [
      'an unknown operator',
      { table: 'article', columns: ['id'], where: { id: { $x: 1 } } },
      { code: 'unexpected-payload' },
    ],
  ])('rejects %s', async (_reason, args, error) => {
    expect(await rejectionOf('select', args, { 'x-service-role': 'admin' } as typeof user)).toMatchObject(error);
  });
});

test('the command count counts rows or distinct values', async () => {
  expect(await service.command('count', { table: 'article', where: { author_id: 1 } })).toEqual({ count: 2 });
  expect(await service.command('count', { table: 'article', distinct: ['author_id'] })).toEqual({ count: 2 });
});

describe('the commands insert, update and delete', () => {
  test('return the number of rows, and the rows if requested', async () => {
    expect(await service.command('insert', { table: 'author', objects: [{ name: 'Cid' }, { name: 'Dan' }] })).toEqual({
      affected_rows: 2,
    });
    const update = { table: 'author', where: { id: { $gt: 2 } }, $set: { age: 1 }, $inc: {}, returning: ['id', 'age'] };
    const { $inc: _none, ...plain } = update;
    expect(await service.command('update', plain)).toEqual({
      affected_rows: 2,
      returning: [
        { id: 3, age: 1 },
        { id: 4, age: 1 },
      ],
    });
    expect(await service.command('update', { table: 'author', where: { id: 3 }, $inc: { age: 2 } })).toEqual({
      affected_rows: 1,
    });
    expect(await service.command('delete', { table: 'author', where: { age: 3 }, returning: ['name'] })).toEqual({
      affected_rows: 1,
      returning: [{ name: 'Cid' }],
    });
  });

  test('insert or update rows by on_conflict', async () => {
    const objects = [{ title: 'one', author_id: 2 }];
    const upsert = (action: string) => ({
      table: 'article',
      objects,
      on_conflict: { action, constraint: 'article_title_key' },
      returning: ['id', 'author_id'],
    });
    expect(await service.command('insert', upsert('ignore'))).toEqual({ affected_rows: 0, returning: [] });
    expect(await service.command('insert', upsert('update'))).toEqual({
      affected_rows: 1,
      returning: [{ id: 1, author_id: 2 }],
    });
  });
});

describe('the options of data commands that GraphQL requests do not have', () => {
  const columns = ['id', 'amount', 'price'];
  test.each<readonly [string, string, object, unknown]>([
    [
      '$mul multiplies a number',
      'update',
      { where: { id: 1 }, $mul: { amount: 3 }, returning: columns },
      { affected_rows: 1, returning: [{ id: 1, amount: 15, price: '$1.00' }] },
    ],
    [
      '$inc increments money',
      'update',
      { where: { id: 1 }, $inc: { price: '2.50' }, returning: columns },
      { affected_rows: 1, returning: [{ id: 1, amount: 5, price: '$3.50' }] },
    ],
    [
      '$default sets columns to their defaults, beside $set',
      'update',
      { where: { id: 1 }, $set: { part: 'x', shelf: 9 }, $default: ['amount'], returning: ['part', 'amount'] },
      { affected_rows: 1, returning: [{ part: 'x', amount: 5 }] },
    ],
    [
      'values is another name of $set',
      'update',
      { where: { id: 1 }, values: { amount: 8 }, returning: ['amount'] },
      { affected_rows: 1, returning: [{ amount: 8 }] },
    ],
    [
      'an empty returning gives rows without members',
      'update',
      { where: { part: 'nut' }, $set: { amount: 8 }, returning: [] },
      { affected_rows: 2, returning: [{}, {}] },
    ],
    [
      'an empty returning of no rows is an empty list',
      'delete',
      { where: { id: 99 }, returning: [] },
      { affected_rows: 0, returning: [] },
    ],
    [
      'constraint_on takes the columns of a unique key',
      'insert',
      {
        objects: [{ id: 1, part: 'nut', shelf: 1, amount: 7 }],
        on_conflict: { action: 'update', constraint_on: ['id'] },
        returning: ['amount'],
      },
      { affected_rows: 1, returning: [{ amount: 7 }] },
    ],
    [
      'constraint_on takes one column',
      'insert',
      { objects: [{ id: 1 }], on_conflict: { action: 'ignore', constraint_on: 'id' } },
      { affected_rows: 0 },
    ],
    [
      'constraint_on takes columns in any order',
      'insert',
      {
        objects: [{ id: 9, part: 'nut', shelf: 1 }],
        on_conflict: { action: 'ignore', constraint_on: ['shelf', 'part'] },
      },
      { affected_rows: 0 },
    ],
    [
      'ignore without a target ignores the conflicts of every key',
      'insert',
      {
        objects: [
          { id: 1, part: 'x' },
          { id: 9, part: 'nut', shelf: 2 },
          { id: 4, part: 'y' },
        ],
        on_conflict: { action: 'ignore' },
      },
      { affected_rows: 1 },
    ],
    [
      'operators in $cast have either spelling',
      'count',
      { where: { $and: [{ attributes: { $cast: { String: { $like: '%a%' } } } }, { shelf: 1 }] } },
      { count: 2 },
    ],
    ['a bare null tests for null', 'count', { where: { part: null } }, { count: 0 }],
  ])('%s', async (_rule, type, args, result) => {
    expect(await service.command(type, { table: 'stock', ...args })).toEqual(result);
  });

  test('*.* selects relationships too, and a named column replaces that of a wildcard', async () => {
    const args = { table: 'author', columns: [{ name: 'articles', columns: ['id'] }, '*.*'], where: { id: 2 } };
    // The column "full name" has no GraphQL name.
    expect(await service.command('select', args)).toEqual([{ id: 2, name: 'Bea', age: 40, articles: [{ id: 3 }] }]);
    const article = { table: 'article', columns: ['*.*'], where: { id: 1 } };
    expect(await service.command('select', article)).toMatchObject([
      { id: 1, title: 'one', author_id: 1, author: { id: 1, name: 'Ann' } },
    ]);
  });

  test.each<readonly [string, string, object, object]>([
    ['no objects', 'insert', { objects: [] }, { code: 'unexpected-payload', path: '$.args.objects' }],
    ['an update without changes', 'update', { where: {} }, { code: 'unexpected-payload', path: '$.args' }],
    ['an update with empty changes', 'update', { where: {}, $set: {}, $inc: {} }, { code: 'unexpected-payload' }],
    [
      'a negative limit',
      'select',
      { columns: ['id'], limit: -1 },
      { code: 'unexpected-payload', path: '$.args.limit' },
    ],
    [
      'both targets of a conflict',
      'insert',
      { objects: [{ id: 1 }], on_conflict: { action: 'ignore', constraint: 'stock_pkey', constraint_on: 'id' } },
      { code: 'unexpected-payload', path: '$.args.on_conflict' },
    ],
    [
      'an update of rows in conflict without a target',
      'insert',
      { objects: [{ id: 1 }], on_conflict: { action: 'update' } },
      { code: 'unexpected-payload', path: '$.args.on_conflict' },
    ],
    [
      'an unknown constraint',
      'insert',
      { objects: [{ id: 1 }], on_conflict: { action: 'ignore', constraint: 'x' } },
      { code: 'unexpected', path: '$.args.on_conflict.constraint' },
    ],
    [
      'an unknown column in constraint_on',
      'insert',
      { objects: [{ id: 1 }], on_conflict: { action: 'ignore', constraint_on: 'x' } },
      { code: 'not-exists', path: '$.args.on_conflict.constraint_on' },
    ],
    [
      'constraint_on without a unique constraint',
      'insert',
      { objects: [{ id: 1 }], on_conflict: { action: 'ignore', constraint_on: 'part' } },
      { code: 'constraint-error' },
    ],
  ])('%s is rejected', async (_reason, type, args, error) => {
    const admin = { 'x-service-role': 'admin' } as typeof user;
    expect(await rejectionOf(type, { table: 'stock', ...args }, admin)).toMatchObject(error);
  });

  test('where, order_by, limit and offset are rejected at an object relationship', async () => {
    for (const option of [{ where: {} }, { order_by: 'id' }, { limit: 1 }, { offset: 1 }]) {
      const columns = [{ name: 'author', columns: ['id'], ...option }];
      expect(
        await rejectionOf('select', { table: 'article', columns }, { 'x-service-role': 'admin' } as typeof user),
      ).toMatchObject({ code: 'unexpected-payload', path: `$.args.columns[0].${Object.keys(option)[0]}` });
    }
  });

  test('count and select need no aggregations and no root fields of the role', async () => {
    const run = (type: string, args: object) =>
      service.post('/v1/query', { type, args: { table: 'stock', ...args } }, user);
    expect(await run('count', {})).toMatchObject({ status: 200, body: { count: 2 } });
    expect(await run('count', { distinct: ['part'] })).toMatchObject({ body: { count: 2 } });
    expect(await run('select', { columns: ['*'], where: { part: 'nut' } })).toMatchObject({
      body: [{ id: 2, part: 'nut' }],
    });
    expect(await run('count', { distinct: ['amount'] })).toMatchObject({ body: { code: 'permission-denied' } });
    expect(await service.graphql('{ stock_aggregate { aggregate { count } } }', user)).toHaveProperty('errors');
  });

  test('on_conflict needs the permission to update', async () => {
    const objects = [{ id: 1, part: 'x' }];
    for (const on_conflict of [{ action: 'ignore' }, { action: 'ignore', constraint: 'stock_pkey' }]) {
      expect(await rejectionOf('insert', { table: 'stock', objects, on_conflict })).toMatchObject({
        code: 'permission-denied',
        path: '$.args.on_conflict',
      });
    }
  });
});

describe('a role other than admin', () => {
  test('runs data commands with its permissions', async () => {
    const select = { type: 'select', args: { table: 'article', columns: ['*'] } };
    const insert = { type: 'insert', args: { table: 'article', objects: [{ title: 'new' }], returning: ['title'] } };
    expect((await service.post('/v1/query', { type: 'bulk', args: [insert, select] }, user)).body).toEqual([
      { affected_rows: 1, returning: [{ title: 'new' }] },
      [
        { id: 1, title: 'one' },
        { id: 2, title: 'two' },
        { id: 4, title: 'new' },
      ],
    ]);
  });

  test('is rejected without permission, and for every other command', async () => {
    expect(await rejectionOf('select', { table: 'article', columns: ['author_id'] })).toMatchObject({
      code: 'permission-denied',
    });
    expect(await rejectionOf('select', { table: 'author', columns: ['id'] })).toMatchObject({ code: 'not-exists' });
    expect(await rejectionOf('insert', { table: 'article', objects: [{ title: 'bad' }] })).toMatchObject({
      code: 'permission-error',
    });
    expect(await rejectionOf('delete', { table: 'article', where: {} })).toMatchObject({ code: 'permission-denied' });
    expect(await rejectionOf('run_sql', { sql: 'select 1' })).toMatchObject({ code: 'access-denied' });
    const mixed = [
      { type: 'select', args: { table: 'article', columns: ['id'] } },
      { type: 'track_table', args: 'x' },
    ];
    expect(await rejectionOf('bulk', mixed)).toMatchObject({ code: 'access-denied', path: '$.args' });
  });
});

test('data commands use SQL names on a source with a namespace and a customization', async () => {
  const customized = await startService({}, { sql });
  try {
    const metadata = (await customized.command('export_metadata', {})) as { sources: object[] };
    const names = { root_fields: { namespace: 'db', prefix: 'a_' }, type_names: { prefix: 'X', suffix: 'Y' } };
    const sources = metadata.sources.map((source) => ({
      ...source,
      customization: names,
      tables: [{ table: 'author' }],
    }));
    await customized.command('replace_metadata', { ...metadata, sources });
    expect(
      await customized.command('insert', { table: 'author', objects: [{ name: 'Ann' }], returning: ['id'] }),
    ).toEqual({
      affected_rows: 1,
      returning: [{ id: 1 }],
    });
    const select = { table: 'author', columns: ['name'], where: { id: 1 }, order_by: 'id' };
    expect(await customized.command('select', select)).toEqual([{ name: 'Ann' }]);
  } finally {
    await customized.stop();
  }
});

test('a bulk runs its data commands, SQL and metadata commands in one transaction', async () => {
  const steps = [
    { type: 'run_sql', args: { sql: 'create table note (id int primary key)' } },
    { type: 'track_table', args: 'note' },
    { type: 'insert', args: { table: 'note', objects: [{ id: 1 }] } },
    { type: 'select', args: { table: 'note', columns: ['id'] } },
  ];
  const failing = await service.post('/v1/query', {
    type: 'bulk',
    args: [...steps, { type: 'select', args: { table: 'x', columns: ['*'] } }],
  });
  expect(failing).toMatchObject({ status: 400, body: { path: '$.args[4].args.table' } });
  const results = (await service.command('bulk', steps)) as unknown[];
  expect(results.slice(2)).toEqual([{ affected_rows: 1 }, [{ id: 1 }]]);
});
