/** The endpoint `/v1/graphql/explain`: the steps of an operation, without execution. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table users (id int primary key, name text not null, boss int references users);
  insert into users values (1, 'Ada');
`;
const blogSdl = `
  type Query { posts(by: Int, first: Int): [Post!] me: Person }
  type Person { id: Int posts: [Post!] }
  type Post { id: ID! authorId: Int }
`;

let handlers: HandlerServer;
let blog: GraphQLServer;
let service: TestService;

beforeAll(async () => {
  handlers = await startHandlerServer({});
  blog = await startGraphQLServer(blogSdl, {});
  service = await startService({ HANDLER: handlers.url }, { sql });
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
    {
      type: 'create_object_relationship',
      args: { table: users, name: 'chief', using: { foreign_key_constraint_on: 'boss' } },
    },
    {
      type: 'create_array_relationship',
      args: { table: users, name: 'staff', using: { foreign_key_constraint_on: { table: users, column: 'boss' } } },
    },
    { type: 'add_remote_schema', args: { name: 'blog', definition: { url: blog.url } } },
    {
      type: 'create_remote_relationship',
      args: {
        table: users,
        name: 'posts',
        definition: {
          to_remote_schema: {
            remote_schema: 'blog',
            lhs_fields: ['id'],
            remote_field: { posts: { arguments: { by: '$id' } } },
          },
        },
      },
    },
    {
      type: 'create_remote_schema_remote_relationship',
      args: {
        remote_schema: 'blog',
        type_name: 'Post',
        name: 'author',
        definition: {
          to_source: {
            source: 'default',
            table: users,
            relationship_type: 'object',
            field_mapping: { authorId: 'id' },
          },
        },
      },
    },
  ]);
  blog.reset();
}, 60_000);

afterAll(async () => {
  await service?.stop();
  await handlers?.close();
  await blog?.close();
});

async function explain(query: string, options: object = {}): Promise<unknown> {
  return (await service.post('/v1/graphql/explain', { query: { query }, ...options })).body;
}

const tree = { format: 'tree' };

it('explain returns the statement of a query with its parameters, and its plan if requested', async () => {
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
        merged: { by: 'key', sql: expect.stringContaining('unnest') },
      },
    ],
  });
  expect(await explain(query, { ...tree, user, plan: true })).toMatchObject({ steps: [{ plan: [{ Plan: {} }] }] });
  expect(await explain(query, { ...tree, user, analyze: true })).toMatchObject({
    steps: [{ plan: [{ 'Execution Time': expect.any(Number) }] }],
  });
});

it('explain returns the call of an action and the joins of its result, without calling the handler', async () => {
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

it('explain returns the statement of a mutation without running it, and rejects analyze', async () => {
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

it('explain returns the document of a join to a remote schema and the joins from its types', async () => {
  const author = {
    keys: ['authorId'],
    target: { kind: 'statement', table: 'public.users', parameters: [[null]], plan: [{ Plan: {} }] },
  };
  const joined = '{ users { posts(first: $n) { id author { name } } } }';
  const query = `query ($n: Int) ${joined}`;
  const { body } = await service.post('/v1/graphql/explain', {
    ...tree,
    plan: true,
    query: { query, variables: { n: 3 } },
  });
  expect(body).toMatchObject({
    steps: [
      {
        joins: [
          {
            path: ['users', 'posts'],
            keys: ['id'],
            target: {
              kind: 'request',
              remote_schema: 'blog',
              field: ['posts'],
              document: expect.stringContaining('f0:posts(by:<id> first: $n){...S}'),
              variables: { n: 3 },
            },
            joins: [{ path: ['users', 'posts', 'author'], ...author }],
          },
        ],
      },
    ],
  });
  expect(await explain('{ me { posts { writer: author { name } } } }', { ...tree, plan: true })).toMatchObject({
    steps: [
      {
        kind: 'request',
        document: expect.stringContaining('authorId'),
        joins: [{ path: ['me', 'posts', 'writer'], ...author }],
      },
    ],
  });
  expect(blog.requests).toEqual([]);
});

it('explain returns all statements of nested inserts and of several updates', async () => {
  const staff = 'staff: { data: [{ id: 3, name: "Cleo" }, { id: 4, name: "Dan" }] }';
  const insert = `mutation { insert_users_one(object: {
    id: 2, name: "Bea", chief: { data: { id: 5, name: "Eve" } }, ${staff}
  }) { name staff { name } } }`;
  const nested = (await explain(insert, { ...tree, plan: true })) as { steps: { sql: string; plan: unknown }[] };
  expect(nested.steps.map(({ sql }) => sql.includes('insert into'))).toEqual([true, true, true, false]);
  for (const step of nested.steps)
    expect(step).toMatchObject({ kind: 'statement', fields: ['insert_users_one'], plan: [{ Plan: {} }] });
  const update = `mutation { update_users_many(updates: [
    { where: { id: { _eq: 1 } }, _set: { name: "A" } }, { where: {}, _set: { boss: 1 } }
  ]) { affected_rows } }`;
  const several = (await explain(update, tree)) as { steps: { sql: string }[] };
  expect(several.steps.map(({ sql }) => /update [^;]* set/i.test(sql))).toEqual([true, true]);
  const { rows } = await service.database.database.query({ text: 'select count(*) from users', values: [] });
  expect(rows).toEqual([['1']]);
});

it('explain returns the statements that subscriptions and streams poll', async () => {
  const stream = 'users_stream(batch_size: 1, cursor: { initial_value: { id: 0 } }) { id }';
  for (const [query, polled] of [
    ['subscription { users { id } }', 'live'],
    [`subscription { ${stream} }`, 'stream'],
  ] as const) {
    expect(await explain(query, { ...tree, plan: true })).toMatchObject({
      steps: [{ kind: 'statement', polled, source: 'default', plan: [{ Plan: {} }] }],
    });
    expect(await explain(query)).toMatchObject({
      sql: expect.any(String),
      plan: expect.arrayContaining([expect.any(String)]),
    });
  }
});

it.each([
  [
    'a live query without values',
    'subscription { users { id } }',
    {},
    { session: {}, query: {}, synthetic: [], cursor: {} },
  ],
  [
    'variables, constants and session variables',
    'subscription ($name: String!) { users(where: { name: { _in: ["Ada", "Bea"] }, _or: { name: { _eq: $name } } }) { id } }',
    { user: { 'x-service-role': 'user', 'x-service-user-id': '7' }, variables: { name: 'Cleo' } },
    { session: { 'x-service-user-id': '7' }, query: { name: 'Cleo' }, synthetic: ['{"Ada","Bea"}'], cursor: {} },
  ],
  [
    'the cursor of a stream',
    'subscription { users_stream(batch_size: 1, cursor: { initial_value: { id: 5 } }) { id } }',
    {},
    { session: {}, query: {}, synthetic: [], cursor: { id: '5' } },
  ],
])(
  'explain of a subscription is one object with %s',
  async (_name, query, { variables, ...rest }: { variables?: object }, expected) => {
    const { body } = await service.post('/v1/graphql/explain', { query: { query, variables }, ...rest });
    expect(body).toEqual({
      sql: expect.any(String),
      plan: expect.arrayContaining([expect.any(String)]),
      variables: expected,
    });
  },
);

it('explain lists root fields in the order of the response, with null for `__typename` and introspection', async () => {
  expect(
    await explain('{ __typename late: find(sku: "A") { userId } first: users { id } __schema { queryType { name } } }'),
  ).toEqual([
    { field: '__typename', sql: null, plan: null },
    { field: 'late', action: 'find', handler: '{{HANDLER}}/' },
    { field: 'first', sql: expect.any(String), plan: expect.any(Array) },
    { field: '__schema', sql: null, plan: null },
  ]);
});

it('explain returns a hint on the missing permission of a role', async () => {
  expect(await explain('{ find(sku: "A") { userId } }', { user: { 'x-service-role': 'user' } })).toMatchObject({
    errors: [{ extensions: { hint: 'action "find" has no permission for role "user"' } }],
  });
});

it('explain rejects an unknown format', async () => {
  expect(await explain('{ users { id } }', { format: 'picture' })).toMatchObject({
    errors: [{ extensions: { code: 'parse-failed', path: '$.format' } }],
  });
});
