/** The data commands of the v1 API: their results, their permissions, and the transaction of a bulk. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id serial primary key, "full name" text, name text, age int);
  create table article (id serial primary key, title text not null unique, author_id int references author);
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
    sql: `truncate author, article restart identity;
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
      { code: 'validation-failed' },
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
    expect(await rejectionOf('delete', { table: 'article', where: {} })).toMatchObject({ code: 'validation-failed' });
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
