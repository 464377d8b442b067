/** The row limit of a role: a list with more rows is rejected, in queries and subscriptions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { frameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key, name text);
  create table article (id int primary key, author_id int references author, body text not null default '');
  insert into author values (1, 'Ada'), (2, 'Bob'), (3, 'Cem'), (4, 'Dee');
  insert into article select n, case when n <= 5 then 1 else 2 end from generate_series(1, 7) n;
  create function by_name(start text) returns setof author language sql stable as
    'select * from author where name >= start';
`;

let service: TestService;

beforeAll(async () => {
  service = await startService({ JOINERY_MAX_RESULT_BYTES: '20000' }, { sql });
  for (const table of ['author', 'article']) await service.command('track_table', table);
  await service.command('track_function', 'by_name');
  const using = { foreign_key_constraint_on: { table: 'article', column: 'author_id' } };
  await service.command('create_array_relationship', { table: 'author', name: 'articles', using });
  for (const table of ['author', 'article']) {
    for (const [role, more] of [
      ['user', {}],
      ['reader', {}],
      ['few', { limit: 2 }],
    ] as const) {
      const permission = { columns: '*', filter: {}, allow_aggregations: true, ...more };
      await service.command('create_select_permission', { table, role, permission });
    }
  }
  const permission = { columns: '*', check: {} };
  await service.command('create_insert_permission', { table: 'author', role: 'user', permission });
  await service.command('set_api_limits', { row_limit: { global: 3, per_role: { reader: 4 } } });
});

afterAll(async () => {
  await service?.stop();
});

const request = (query: string, role = 'user', variables?: unknown) =>
  service.graphql(query, { 'x-service-role': role }, variables);
const limitError = expect.objectContaining({
  errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: 'result-limit-exceeded' }) })],
});
const all = '{ author(order_by: { id: asc }) { id } }';
const ids = (...list: readonly number[]) => ({ data: { author: list.map((id) => ({ id })) } });

describe('a list with more rows than the limit of the role', () => {
  test('is rejected with a message that suggests pages', async () => {
    expect(await request(all)).toEqual({
      errors: [
        {
          message: 'a list has more rows than you may request at once; request a page of it with "limit" and "offset"',
          extensions: { code: 'result-limit-exceeded', path: '$.selectionSet.author' },
        },
      ],
    });
  });

  test('is returned to a role with a higher limit, and to admin', async () => {
    expect(await request(all, 'reader')).toEqual(ids(1, 2, 3, 4));
    expect(await request(all, 'admin')).toEqual(ids(1, 2, 3, 4));
  });

  test('is returned in pages within the limit, and rejected in larger pages', async () => {
    const page = 'query ($n: Int!) { author(order_by: { id: asc }, limit: $n) { id } }';
    expect(await request(page, 'user', { n: 3 })).toEqual(ids(1, 2, 3));
    expect(await request(page, 'user', { n: 4 })).toEqual(limitError);
    expect(await request('{ author(order_by: { id: asc }, limit: 3, offset: 1) { id } }')).toEqual(ids(2, 3, 4));
    expect(await request('{ author(limit: 4) { id } }')).toEqual(limitError);
  });

  test('is rejected as the rows of a relationship', async () => {
    expect(await request('{ author(where: { id: { _eq: 1 } }) { articles { id } } }')).toEqual(limitError);
    expect(await request('{ author_by_pk(id: 1) { articles { id } } }')).toEqual(limitError);
    expect(await request('{ author_by_pk(id: 2) { articles(order_by: { id: asc }) { id } } }')).toEqual({
      data: { author_by_pk: { articles: [{ id: 6 }, { id: 7 }] } },
    });
  });

  test('is rejected as the nodes of an aggregate, and counted without nodes', async () => {
    expect(await request('{ author_aggregate { aggregate { count } nodes { id } } }')).toEqual(limitError);
    expect(await request('{ author_aggregate(limit: 4) { aggregate { count } nodes { id } } }')).toEqual(limitError);
    expect(await request('{ author_aggregate { aggregate { count } } }')).toEqual({
      data: { author_aggregate: { aggregate: { count: 4 } } },
    });
  });

  test('is rejected as the result of a function', async () => {
    expect(await request('{ by_name(args: { start: "A" }) { id } }')).toEqual(limitError);
    expect(await request('{ by_name(args: { start: "C" }, order_by: { id: asc }) { id } }')).toEqual({
      data: { by_name: [{ id: 3 }, { id: 4 }] },
    });
  });

  test('is cut by the lower limit of a permission without an error', async () => {
    expect(await request(all, 'few')).toEqual(ids(1, 2));
  });

  test('is returned as the rows that a mutation changed', async () => {
    const objects = [11, 12, 13, 14].map((id) => ({ id, name: '' }));
    const insert = 'mutation ($rows: [author_insert_input!]!) { insert_author(objects: $rows) { returning { id } } }';
    const response = await request(insert, 'user', { rows: objects });
    await service.database.database.query({ text: 'delete from author where id > 10', values: [] });
    expect(response).toEqual({ data: { insert_author: { returning: objects.map(({ id }) => ({ id })) } } });
  });

  test('is limited in the statement that explain returns', async () => {
    const query = { query: all };
    const response = await service.post(
      '/v1/graphql/explain',
      { query, user: { 'x-service-role': 'user' } },
      { 'x-service-role': 'admin' },
    );
    expect(JSON.stringify(response.body)).toContain('limit 4');
    expect(await request(all)).toEqual(limitError);
  });
});

describe('a subscription', () => {
  test('receives an error while its list exceeds the limit, and data again afterwards', async () => {
    const client = await frameClient(service.url);
    client.send({ type: 'connection_init', payload: { headers: { 'x-service-role': 'user' } } });
    await client.next();
    const query = 'subscription { author(where: { id: { _gt: 1 } }, order_by: { id: asc }) { id } }';
    client.send({ type: 'subscribe', id: '1', payload: { query } });
    expect(await client.next()).toMatchObject({ payload: ids(2, 3, 4) });
    await service.database.database.query({ text: "insert into author values (5, 'Eve')", values: [] });
    expect(await client.next()).toMatchObject({ payload: limitError });
    await service.database.database.query({ text: 'delete from author where id = 5', values: [] });
    expect(await client.next()).toMatchObject({ payload: ids(2, 3, 4) });
    await client.close();
  });

  test('receives an error if its result has too many bytes, while others in its batch receive data', async () => {
    await service.database.database.query({
      text: "insert into article values (100, 3, repeat('a', 30000)), (101, 4, repeat('b', 12000)), (102, 2, repeat('c', 12000))",
      values: [],
    });
    const client = await frameClient(service.url);
    client.send({ type: 'connection_init', payload: { headers: { 'x-service-role': 'user' } } });
    await client.next();
    const query = 'subscription ($id: Int!) { article(where: { id: { _eq: $id } }) { id body } }';
    for (const id of [100, 101, 102])
      client.send({ type: 'subscribe', id: String(id), payload: { query, variables: { id } } });
    const received = new Map<unknown, unknown>();
    while (received.size < 3) {
      const { id, payload } = (await client.next()) as { readonly id: string; readonly payload: unknown };
      received.set(id, payload);
    }
    await client.close();
    expect(received.get('100')).toEqual(limitError);
    expect(received.get('101')).toEqual({ data: { article: [{ id: 101, body: 'b'.repeat(12_000) }] } });
    expect(received.get('102')).toEqual({ data: { article: [{ id: 102, body: 'c'.repeat(12_000) }] } });
  });
});

test('JOINERY_MAX_ROWS limits every role, and a role may have a lower limit', async () => {
  const limited = await startService({ JOINERY_MAX_ROWS: '4' }, service.database);
  try {
    const as = (role: string, query: string) => limited.graphql(query, { 'x-service-role': role });
    await service.database.database.query({ text: "insert into author values (5, 'Eve')", values: [] });
    expect(await as('admin', all)).toEqual(limitError);
    expect(await as('admin', '{ author(order_by: { id: asc }, limit: 4) { id } }')).toEqual(ids(1, 2, 3, 4));
    expect(await as('user', '{ author(order_by: { id: asc }, limit: 4) { id } }')).toEqual(limitError);
  } finally {
    await service.database.database.query({ text: 'delete from author where id = 5', values: [] });
    await limited.stop();
  }
});
