/** Webhooks that validate the input of mutations (validate_input). */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key, name text);
  create table article (id int primary key, title text, author_id int references author);
  insert into author values (1, 'Ann');
`;

let webhook: HandlerServer;
let service: TestService;

beforeAll(async () => {
  webhook = await startHandlerServer({
    '/check': (call, outgoing) => {
      const bad = call.text.includes('bad');
      outgoing.writeHead(bad ? 400 : 200).end(bad ? '{"message":"rejected by the webhook"}' : '');
    },
    '/silent': (_call, outgoing) => void outgoing.writeHead(400).end('no'),
    '/broken': (_call, outgoing) => void outgoing.writeHead(503).end('{"message":"secret of the webhook"}'),
    '/redirect': (_call, outgoing) => void outgoing.writeHead(204).end(),
    '/timeout': () => new Promise(() => undefined),
  });
  service = await startService({ CHECK_URL: webhook.url, CHECK_KEY: 'k1' }, { sql });
  const check = (path: string, more: object = {}) => ({
    validate_input: { type: 'http', definition: { url: `{{CHECK_URL}}${path}`, ...more } },
  });
  const permit = (kind: string, table: string, role: string, permission: object) => ({
    type: `create_${kind}_permission`,
    args: { table, role, permission },
  });
  const more = {
    forward_client_headers: true,
    headers: [{ name: 'X-Key', value_from_env: 'CHECK_KEY' }],
    timeout: 5,
  };
  await service.command('bulk', [
    { type: 'track_table', args: 'author' },
    { type: 'track_table', args: 'article' },
    {
      type: 'create_array_relationship',
      args: {
        table: 'author',
        name: 'articles',
        using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
      },
    },
    permit('select', 'author', 'user', { columns: '*', filter: {} }),
    permit('insert', 'author', 'user', { columns: '*', check: {}, ...check('/check', more) }),
    permit('insert', 'article', 'user', { columns: ['id', 'title'], check: {}, ...check('/check') }),
    permit('update', 'author', 'user', { columns: ['name'], filter: {}, ...check('/check') }),
    permit('delete', 'author', 'user', { filter: { id: { _gt: 1 } }, ...check('/check') }),
    ...['silent', 'broken', 'redirect', 'timeout'].map((role) =>
      permit('delete', 'author', role, { filter: {}, ...check(`/${role}`, { timeout: 1 }) }),
    ),
  ]);
});
afterAll(async () => {
  await service?.stop();
  await webhook?.close();
});
afterEach(async () => {
  webhook.reset();
  await service.database.database.query({ text: 'delete from article; delete from author where id > 1', values: [] });
});

const user = { 'x-service-role': 'user', 'x-service-user-id': '7' };
const rejectedWith = (message: string, code = 'validation-failed') => ({
  errors: [{ message, extensions: { code, path: '$' } }],
});
const inputs = () => webhook.calls.map(({ body }) => (body.data as { input: unknown }).input);
const names = async () => (await service.graphql('{ author(order_by: { id: asc }) { id name } }')) as unknown;
const unchanged = { data: { author: [{ id: 1, name: 'Ann' }] } };

test('the webhook receives role, session variables, input and configured headers', async () => {
  const response = await service.post(
    '/v1/graphql',
    {
      query: 'mutation ($n: String) { insert_author_one(object: { id: 2, name: $n }) { id } }',
      variables: { n: 'Bo' },
    },
    { ...user, 'x-trace': 't1' },
  );
  expect(response.body).toEqual({ data: { insert_author_one: { id: 2 } } });
  expect(webhook.calls).toHaveLength(1);
  expect(webhook.calls[0]).toMatchObject({
    method: 'POST',
    headers: { 'x-key': 'k1', 'x-trace': 't1', 'content-type': 'application/json' },
    body: {
      version: 1,
      role: 'user',
      session_variables: { 'x-service-role': 'user', 'x-service-user-id': '7' },
      data: { input: [{ id: 2, name: 'Bo' }] },
    },
  });
});

test('nested rows are sent to the webhook of their table after those of the parent, all rows in one call', async () => {
  const rows = [
    {
      id: 2,
      name: 'Bo',
      articles: {
        data: [
          { id: 1, title: 'a' },
          { id: 2, title: 'b' },
        ],
      },
    },
    { id: 3, name: 'Cy', articles: { data: [{ id: 3, title: 'c' }] } },
  ];
  const query = 'mutation ($rows: [author_insert_input!]!) { insert_author(objects: $rows) { affected_rows } }';
  expect(await service.graphql(query, user, { rows })).toEqual({ data: { insert_author: { affected_rows: 5 } } });
  expect(inputs()).toEqual([rows, rows.flatMap(({ articles }) => articles.data)]);
});

test.each<readonly [string, unknown]>([
  [
    'update_author(where: { id: { _eq: 5 } }, _set: { name: "x" }) { affected_rows }',
    { where: { id: { _eq: 5 } }, _set: { name: 'x' } },
  ],
  [
    'update_author_by_pk(pk_columns: { id: 5 }, _set: { name: "x" }) { id }',
    { pk_columns: { id: 5 }, _set: { name: 'x' } },
  ],
  [
    'update_author_many(updates: [{ where: { id: { _eq: 5 } }, _set: { name: "x" } }]) { affected_rows }',
    { where: { id: { _eq: 5 } }, _set: { name: 'x' } },
  ],
  ['delete_author(where: { name: { _eq: "x" } }) { affected_rows }', { where: { name: { _eq: 'x' } } }],
  ['delete_author_by_pk(id: 5) { id }', { pk_columns: { id: 5 } }],
])('the webhook receives the arguments of %s', async (field, input) => {
  expect(await service.graphql(`mutation { ${field} }`, user)).toHaveProperty('data');
  expect(inputs()).toEqual([[input]]);
});

test('a rejection by any webhook precedes all statements and has the message of the webhook', async () => {
  const query = `mutation {
    insert_author_one(object: { id: 2, name: "good" }) { id }
    update_author(where: {}, _set: { name: "bad" }) { affected_rows }
  }`;
  expect(await service.graphql(query, user)).toEqual(rejectedWith('rejected by the webhook'));
  expect(await names()).toEqual(unchanged);
  const nested =
    'mutation { insert_author_one(object: { id: 2, articles: { data: [{ id: 1, title: "bad" }] } }) { id } }';
  expect(await service.graphql(nested, user)).toEqual(rejectedWith('rejected by the webhook'));
  expect(await names()).toEqual(unchanged);
});

test.each([
  ['silent', 'the input is not valid', 'validation-failed'],
  ['broken', 'the webhook that validates the input failed', 'unexpected'],
  ['redirect', 'the webhook that validates the input failed', 'unexpected'],
  ['timeout', 'the webhook that validates the input did not respond', 'unexpected'],
])('the mutation fails if the webhook response is %s', async (role, message, code) => {
  const query = 'mutation { delete_author(where: {}) { affected_rows } }';
  expect(await service.graphql(query, { 'x-service-role': role })).toEqual(rejectedWith(message, code));
  expect(await names()).toEqual(unchanged);
});

test('the input of admin is not validated, and the definition is exported unchanged', async () => {
  await service.graphql('mutation { insert_author_one(object: { id: 2, name: "bad" }) { id } }');
  expect(webhook.calls).toEqual([]);
  expect(JSON.stringify(await service.command('export_metadata', {}))).toContain(
    '"validate_input":{"type":"http","definition":{"url":"{{CHECK_URL}}/check","headers":[{"name":"X-Key","value_from_env":"CHECK_KEY"}],"forward_client_headers":true,"timeout":5}}',
  );
});
