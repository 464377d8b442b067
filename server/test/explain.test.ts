/** What an operation would do, told over HTTP without doing it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HandlerServer, startHandlerServer } from './handler-server.ts';
import { runningService, type TestService } from './running.ts';

const sql = 'create table users (id int primary key, name text not null); insert into users values (1, $$Ada$$);';

let handlers: HandlerServer;
let service: TestService;

beforeAll(async () => {
  handlers = await startHandlerServer({});
  service = await runningService({ HANDLER: handlers.url }, { sql });
  const users = { schema: 'public', name: 'users' };
  const permission = { columns: ['id', 'name'], filter: { id: { _eq: 'X-Service-User-Id' } } };
  const relationship = { name: 'user', type: 'object', remote_table: users, field_mapping: { userId: 'id' } };
  const types = {
    objects: [{ name: 'Order', fields: [{ name: 'userId', type: 'Int' }], relationships: [relationship] }],
  };
  const action = { handler: '{{HANDLER}}/', output_type: 'Order', arguments: [{ name: 'sku', type: 'String!' }] };
  await service.command('bulk', [
    { type: 'track_table', args: users },
    { type: 'create_select_permission', args: { table: users, role: 'user', permission } },
    { type: 'set_custom_types', args: types },
    { type: 'create_action', args: { name: 'find', definition: { ...action, type: 'query' } } },
    { type: 'create_action', args: { name: 'later', definition: { ...action, kind: 'asynchronous' } } },
  ]);
}, 60_000);

afterAll(async () => {
  await service?.stop();
  await handlers?.close();
});

async function explain(query: string, more: object = {}): Promise<unknown> {
  return (await service.post('/v1/graphql/explain', { query: { query }, ...more })).body;
}

const tree = { format: 'tree' };

it('tells the statement of a query with its parameters, and its plan where that is asked for', async () => {
  const user = { 'x-service-role': 'user', 'x-service-user-id': '1' };
  const query = '{ users { name } }';
  expect(await explain(query, { ...tree, user })).toEqual({
    operation: { kind: 'query', name: null },
    role: 'user',
    steps: [
      {
        kind: 'statement',
        fields: ['users'],
        source: 'default',
        sql: expect.stringContaining('from "public"."users"'),
        parameters: ['1'],
        joins: [],
      },
    ],
  });
  expect(await explain(query, { ...tree, user, plan: true })).toMatchObject({ steps: [{ plan: [{ Plan: {} }] }] });
  expect(await explain(query, { ...tree, user, analyze: true })).toMatchObject({
    steps: [{ plan: [{ 'Execution Time': expect.any(Number) }] }],
  });
});

it('tells the call of an action and the joins of its answer, and calls nobody', async () => {
  expect(await explain('{ find(sku: "A") { user { name } } }', tree)).toMatchObject({
    steps: [
      {
        kind: 'call',
        action: 'find',
        handler: '{{HANDLER}}/',
        input: { sku: 'A' },
        joins: [
          {
            path: ['find', 'user'],
            keys: ['userId'],
            target: {
              kind: 'statement',
              table: 'public.users',
              columns: ['id'],
              sql: expect.stringContaining('unnest'),
            },
          },
        ],
      },
    ],
  });
  expect(await explain('mutation { later(sku: "A") }', tree)).toMatchObject({ steps: [{ kind: 'call', later: true }] });
  expect(handlers.calls).toEqual([]);
});

it('tells the statement of a mutation without running it, and refuses to analyze it', async () => {
  const query = 'mutation { insert_users(objects: { id: 2, name: "Bea" }) { returning { id } } }';
  expect(await explain(query, { ...tree, plan: true })).toMatchObject({
    steps: [{ kind: 'statement', writes: true, sql: expect.stringContaining('insert into'), plan: [{ Plan: {} }] }],
  });
  expect(await explain(query, { ...tree, analyze: true })).toMatchObject({
    errors: [{ extensions: { code: 'not-supported' } }],
  });
  const { rows } = await service.database.database.query({ text: 'select count(*) from users', values: [] });
  expect(rows).toEqual([['1']]);
});

it('tells what a live query and a stream poll', async () => {
  const stream = 'users_stream(batch_size: 1, cursor: { initial_value: { id: 0 } }) { id }';
  for (const [query, polled] of [
    ['subscription { users { id } }', 'live'],
    [`subscription { ${stream} }`, 'stream'],
  ] as const) {
    expect(await explain(query, { ...tree, plan: true })).toMatchObject({
      steps: [{ kind: 'statement', polled, source: 'default', plan: [{ Plan: {} }] }],
    });
    expect(await explain(query)).toMatchObject([
      { sql: expect.any(String), plan: expect.arrayContaining([expect.any(String)]) },
    ]);
  }
});

it('says why a role does not have what is asked for', async () => {
  expect(await explain('{ find(sku: "A") { userId } }', { user: { 'x-service-role': 'user' } })).toMatchObject({
    errors: [{ extensions: { hint: 'action "find" has no permission for role "user"' } }],
  });
});

it('refuses a form that it does not know', async () => {
  expect(await explain('{ users { id } }', { format: 'picture' })).toMatchObject({
    errors: [{ extensions: { code: 'parse-failed', path: '$.format' } }],
  });
});
