/** Tests of widely used data providers, unmodified and over real HTTP. */
import { createRequire } from 'node:module';
import hasura, { GraphQLClient, graphqlWS, liveProvider } from '@refinedev/hasura';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { until } from '../../server/test/support/until.ts';

type ReactAdmin = typeof import('ra-data-hasura');
type ReactAdminProvider = Awaited<ReturnType<ReactAdmin['default']>>;

const setup = `
  create table author (id serial primary key, name text not null, age int, born date);
  create table article (id serial primary key, title text not null, author_id int not null references author);
`;

const rows = `
  truncate author, article restart identity;
  insert into author (name, age) values ('Ann', 40), ('Bo', 25), ('Cy', 33), ('Di', 61), ('Ed', null);
  insert into article (title, author_id) values ('First', 1), ('Second', 1), ('Third', 2);
`;

let service: TestService;

beforeAll(async () => {
  service = await startService(
    { JOINERY_HEADER_PREFIX: 'X-Hasura-', JOINERY_UNAUTHORIZED_ROLE: 'admin' },
    { migrated: true, sql: setup },
  );
  await service.command('pg_track_table', { table: 'author' });
  await service.command('pg_track_table', { table: 'article' });
  await service.command('pg_create_array_relationship', {
    table: 'author',
    name: 'articles',
    using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
  });
});
beforeEach(() => run(rows));
afterAll(() => service?.stop());

async function run(text: string): Promise<readonly (readonly unknown[])[]> {
  return (await service.database.database.query({ text, values: [] })).rows;
}

/** Returns the rows of the table by SQL, without the service. */
async function names(): Promise<readonly Record<'id' | 'name' | 'age', unknown>[]> {
  const found = await run('select id, name, age from author order by id');
  return found.map(([id, name, age]) => ({ id: Number(id), name, age: age === null ? null : Number(age) }));
}

const identifiers = (given: readonly { readonly id?: unknown }[]): unknown[] => given.map(({ id }) => id);

describe('ra-data-hasura', () => {
  let provider: ReactAdminProvider;
  const author = { page: 1, perPage: 10 };

  beforeAll(async () => {
    // Its entry is CommonJS; `require` loads the package without the module loader of the test runner.
    const { default: build } = createRequire(import.meta.url)('ra-data-hasura') as ReactAdmin;
    provider = await build({
      clientOptions: { uri: `${service.url}/v1/graphql`, headers: { 'x-hasura-role': 'admin' } },
    });
  });

  test('reads a page of a list in the requested order, with the total', async () => {
    const list = await provider.getList('author', {
      pagination: { page: 2, perPage: 2 },
      sort: { field: 'name', order: 'DESC' },
      filter: {},
    });
    expect(list.data).toMatchObject([
      { id: 3, name: 'Cy', age: 33 },
      { id: 2, name: 'Bo', age: 25 },
    ]);
    expect(list.total).toBe(5);
  });

  test('filters by value, by operator and through a relationship', async () => {
    const found = async (filter: unknown): Promise<unknown[]> => {
      const list = await provider.getList('author', {
        pagination: author,
        sort: { field: 'id', order: 'ASC' },
        filter,
      });
      expect(list.total).toBe(list.data.length);
      return identifiers(list.data);
    };
    expect(await found({ name: 'An' })).toEqual([1]);
    expect(await found({ 'age@_gt': 30 })).toEqual([1, 3, 4]);
    expect(await found({ 'name@_ilike': 'B' })).toEqual([2]);
    expect(await found({ 'articles#title@_eq': 'Third' })).toEqual([2]);
  });

  test('reads one row, many rows, and the rows that reference one', async () => {
    expect((await provider.getOne('author', { id: 1 })).data).toMatchObject({ id: 1, name: 'Ann' });
    expect(identifiers((await provider.getMany('author', { ids: [4, 2] })).data).sort()).toEqual([2, 4]);
    const referring = await provider.getManyReference('article', {
      target: 'author_id',
      id: 1,
      pagination: author,
      sort: { field: 'title', order: 'DESC' },
      filter: {},
    });
    expect(referring.data).toMatchObject([{ title: 'Second' }, { title: 'First' }]);
    expect(referring.total).toBe(2);
  });

  test('creates and updates rows, and reads the written values', async () => {
    const made = await provider.create('author', { data: { name: 'Flo', age: 19 } });
    expect(made.data).toMatchObject({ id: 6, name: 'Flo', age: 19 });
    const changed = await provider.update('author', { id: 6, data: { age: 20 }, previousData: made.data });
    expect(changed.data).toMatchObject({ id: 6, name: 'Flo', age: 20 });
    await provider.updateMany('author', { ids: [1, 2], data: { age: 1 } });
    expect(await names()).toMatchObject([{ age: 1 }, { age: 1 }, { age: 33 }, { age: 61 }, { age: null }, { age: 20 }]);
  });

  test('deletes one row and many rows', async () => {
    const gone = await provider.delete('author', { id: 5 });
    expect(gone.data).toMatchObject({ id: 5 });
    await provider.deleteMany('author', { ids: [3, 4] });
    expect(await names()).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  test('reports a constraint violation', async () => {
    await expect(provider.delete('author', { id: 1 })).rejects.toThrow(/Foreign key violation/);
    expect(await names()).toHaveLength(5);
  });
});

describe('@refinedev/hasura', () => {
  // Its types declare a namespace for a function, and the client in another file.
  type Build = (typeof hasura)['default'];
  type Made = ReturnType<Build>;
  const build = hasura as unknown as (client: GraphQLClient, options: Parameters<Build>[1]) => Made;
  let provider: ReturnType<typeof build>;
  const meta = { fields: ['id', 'name', 'age'] };

  beforeAll(() => {
    const client = new GraphQLClient(`${service.url}/v1/graphql`, { headers: { 'x-hasura-role': 'admin' } });
    provider = build(client, { idType: 'Int' });
  });

  test('reads a page of a list in the requested order, with the total', async () => {
    const list = await provider.getList({
      resource: 'author',
      pagination: { currentPage: 2, pageSize: 2 },
      sorters: [{ field: 'name', order: 'desc' }],
      meta,
    });
    expect(list).toEqual({
      data: [
        { id: 3, name: 'Cy', age: 33 },
        { id: 2, name: 'Bo', age: 25 },
      ],
      total: 5,
    });
  });

  test('filters by value, by operator, by alternatives and through a relationship', async () => {
    type Filters = NonNullable<Parameters<typeof provider.getList>[0]['filters']>;
    const found = async (filters: Filters): Promise<unknown[]> => {
      const sorters = [{ field: 'id', order: 'asc' as const }];
      const list = await provider.getList({ resource: 'author', filters, sorters, meta });
      expect(list.total).toBe(list.data.length);
      return identifiers(list.data);
    };
    expect(await found([{ field: 'name', operator: 'eq', value: 'Ann' }])).toEqual([1]);
    expect(await found([{ field: 'name', operator: 'contains', value: 'B' }])).toEqual([2]);
    expect(await found([{ field: 'age', operator: 'gte', value: 40 }])).toEqual([1, 4]);
    expect(await found([{ field: 'age', operator: 'null', value: true }])).toEqual([5]);
    expect(await found([{ field: 'id', operator: 'nin', value: [1, 2, 3] }])).toEqual([4, 5]);
    expect(await found([{ field: 'articles.title', operator: 'eq', value: 'Third' }])).toEqual([2]);
    const either: Filters = [
      {
        operator: 'or',
        value: [
          { field: 'name', operator: 'startswith', value: 'D' },
          { field: 'age', operator: 'lt', value: 30 },
        ],
      },
    ];
    expect(await found(either)).toEqual([2, 4]);
  });

  test('reads one row and many rows', async () => {
    expect((await provider.getOne({ resource: 'author', id: 1, meta })).data).toEqual({ id: 1, name: 'Ann', age: 40 });
    const many = await provider.getMany({ resource: 'author', ids: [4, 2], meta });
    expect(identifiers(many.data).sort()).toEqual([2, 4]);
  });

  test('creates and updates one row and many rows, and reads the written values', async () => {
    const made = await provider.create({ resource: 'author', variables: { name: 'Flo', age: 19 }, meta });
    expect(made.data).toEqual({ id: 6, name: 'Flo', age: 19 });
    const more = await provider.createMany({ resource: 'author', variables: [{ name: 'Gus' }, { name: 'Hal' }], meta });
    expect(more.data).toMatchObject([
      { id: 7, name: 'Gus' },
      { id: 8, name: 'Hal' },
    ]);
    const changed = await provider.update({ resource: 'author', id: 6, variables: { age: 20 }, meta });
    expect(changed.data).toEqual({ id: 6, name: 'Flo', age: 20 });
    const all = await provider.updateMany({ resource: 'author', ids: [7, 8], variables: { age: 3 }, meta });
    expect(all.data).toMatchObject([{ age: 3 }, { age: 3 }]);
    expect((await names()).slice(5)).toMatchObject([{ age: 20 }, { age: 3 }, { age: 3 }]);
  });

  test('deletes one row and many rows', async () => {
    expect((await provider.deleteOne({ resource: 'author', id: 5, meta })).data).toEqual({
      id: 5,
      name: 'Ed',
      age: null,
    });
    await provider.deleteMany({ resource: 'author', ids: [3, 4], meta });
    expect(await names()).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  test('receives the rows of a list again when they change', async () => {
    const client = graphqlWS.createClient({
      url: `${service.url.replace(/^http/, 'ws')}/v1/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { headers: { 'x-hasura-role': 'admin' } },
    });
    const received: unknown[] = [];
    const live = liveProvider(client, { idType: 'Int' });
    const unsubscribe = live.subscribe({
      channel: 'resources/author',
      types: ['*'],
      params: { resource: 'author', subscriptionType: 'useList', meta: { fields: ['name'] } },
      callback: (rows) => received.push(rows),
    }) as () => void;
    await until('the rows were received', () => received.length === 1);
    await run("update author set name = 'Anna' where id = 1");
    await until('the changed rows were received', () => received.length === 2);
    unsubscribe();
    await client.dispose();
    expect(JSON.stringify(received[0])).toContain('"Ann"');
    expect(JSON.stringify(received[1])).toContain('"Anna"');
  });

  test('reports a constraint violation', async () => {
    await expect(provider.deleteOne({ resource: 'author', id: 1, meta })).rejects.toThrow(/Foreign key violation/);
    expect(await names()).toHaveLength(5);
  });
});
