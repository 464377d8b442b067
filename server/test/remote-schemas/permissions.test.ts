/** Permissions on remote schemas: the SDL of a role, and presets of arguments. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sdl = `
  interface Named { name: String! }
  type User implements Named { id: ID! name: String! phone: String posts(tag: String, first: Int!): [Post!]! }
  type Post { id: ID! title: String secret: String author: User }
  enum Order { OLDEST NEWEST }
  union Hit = User | Post
  input Range { from: Int to: Int }
  input PostFilter { author: ID! title: String range: Range tenants: [Int!] order: Order }
  type Query {
    user(id: ID!): User
    posts(filter: PostFilter, limit: Int): String
    hit(id: ID!): Hit
    me(id: Int!, admin: Boolean): String
    internal: String
  }
  type Mutation { drop(id: ID!): String keep(id: ID!): String }
`;
type Args = Readonly<Record<string, unknown>>;
const user = (id: unknown) => ({
  __typename: 'User',
  id,
  name: `user ${id}`,
  phone: '123',
  posts: (args: Args) => [{ id: 'p', title: JSON.stringify(args), secret: 's' }],
});
const root = {
  user: ({ id }: Args) => user(id),
  posts: (args: Args) => JSON.stringify(args),
  hit: ({ id }: Args) => user(id),
  me: (args: Args) => JSON.stringify(args),
  internal: 'secret',
  drop: 'dropped',
  keep: 'done',
};
const role = `
  type User { id: ID! name: String! posts(tag: String @preset(value: "x-service-tag", static: true), first: Int! @preset(value: 3)): [Post!]! }
  type Post { id: ID! title: String }
  enum Order { NEWEST }
  input PostFilter {
    author: ID! @preset(value: "X-Service-User-Id")
    title: String
    tenants: [Int!] @preset(value: "x-service-tenants")
    order: Order
  }
  type Query {
    user(id: ID!): User
    posts(filter: PostFilter): String
    me(id: Int! @preset(value: "x-service-user-id"), admin: Boolean @preset(value: false)): String
  }
`;
const reader = { 'x-service-role': 'reader', 'x-service-user-id': '7', 'x-service-tenants': '{1,2}' };

let upstream: GraphQLServer;
let service: TestService;
beforeAll(async () => {
  upstream = await startGraphQLServer(sdl, root);
  service = await startService(
    { JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' },
    {
      migrated: true,
      sql: 'create table account (id int primary key, code text); insert into account values (1, $$c$$)',
    },
  );
  await service.command('track_table', { table: 'account' });
  await service.command('create_select_permission', {
    table: 'account',
    role: 'reader',
    permission: { columns: ['id'], filter: {} },
  });
  await service.command('add_remote_schema', { name: 'blog', definition: { url: upstream.url } });
  for (const [name, remote_field] of [
    ['user', { user: { arguments: { id: '$id' } } }],
    ['posts', { user: { arguments: { id: '$id' }, field: { posts: { arguments: {} } } } }],
    ['phone', { user: { arguments: { id: '$id' }, field: { phone: { arguments: {} } } } }],
    ['filtered', { posts: { arguments: { filter: { title: '$id' } } } }],
    ['by_author', { posts: { arguments: { filter: { author: '$id', title: 'x' } } } }],
    ['ranged', { posts: { arguments: { filter: { range: { from: '$id' } } } } }],
  ] as const) {
    await service.command('create_remote_relationship', {
      name,
      table: 'account',
      definition: { to_remote_schema: { remote_schema: 'blog', lhs_fields: ['id'], remote_field } },
    });
  }
  await service.command('add_remote_schema_permissions', {
    remote_schema: 'blog',
    role: 'reader',
    definition: { schema: role },
    comment: 'readers',
  });
});
afterAll(async () => {
  await Promise.all([upstream.close(), service.stop()]);
});
beforeEach(() => upstream.reset());

const dataOf = async (query: string, variables?: unknown) => {
  const response = (await service.graphql(query, reader, variables)) as { data?: Record<string, unknown> };
  if (response.data === undefined) throw new Error(JSON.stringify(response));
  return response.data;
};

describe('a role with permissions on a remote schema', () => {
  test('sees only the types and fields of its SDL', async () => {
    expect(await dataOf('{ user(id: 1) { id name __typename } }')).toEqual({
      user: { id: '1', name: 'user 1', __typename: 'User' },
    });
    for (const [query, field, type] of [
      ['{ internal }', 'internal', 'query_root'],
      ['{ user(id: 1) { phone } }', 'phone', 'User'],
      ['{ user(id: 1) { posts { secret } } }', 'secret', 'Post'],
    ]) {
      expect(await service.graphql(query ?? '', reader)).toMatchObject({
        errors: [{ message: `field '${field}' not found in type: '${type}'` }],
      });
    }
    expect(await dataOf('{ __type(name: "Hit") { name } named: __type(name: "Named") { name } }')).toEqual({
      __type: null,
      named: null,
    });
    expect(await service.graphql('mutation { keep(id: 1) }', reader)).toHaveProperty('errors');
  });

  test('sees the remote schema in contrast to a role without, and admin sees all of it', async () => {
    expect(await service.graphql('{ user(id: 1) { id } }', { 'x-service-role': 'stranger' })).toMatchObject({
      errors: [{ message: "field 'user' not found in type: 'query_root'" }],
    });
    expect(await service.graphql('{ internal }')).toEqual({ data: { internal: 'secret' } });
  });

  test('cannot set preset arguments, for which literals and session variables are sent', async () => {
    const { me } = await dataOf('{ me }');
    expect(JSON.parse(String(me))).toEqual({ id: 7, admin: false });
    const { user: found } = await dataOf('{ user(id: 1) { posts { title } } }');
    expect(JSON.parse((found as { posts: { title: string }[] }).posts[0]?.title ?? '')).toEqual({
      tag: 'x-service-tag',
      first: 3,
    });
    expect(await service.graphql('{ me(id: 8) }', reader)).toMatchObject({
      errors: [{ message: "'me' has no argument named 'id'" }],
    });
  });

  test('has presets in input objects, in literals and variables', async () => {
    const sent = { author: '7', tenants: [1, 2] };
    const { posts } = await dataOf('{ posts(filter: { title: "a" }) }');
    expect(JSON.parse(String(posts))).toEqual({ filter: { title: 'a', ...sent } });
    const query = 'query ($f: PostFilter, $t: String) { whole: posts(filter: $f) part: posts(filter: { title: $t }) }';
    for (const title of ['b', 'c "quoted"']) {
      const data = await dataOf(query, { f: { title, order: 'NEWEST' }, t: title });
      expect(JSON.parse(String(data.whole))).toEqual({ filter: { title, order: 'NEWEST', ...sent } });
      expect(JSON.parse(String(data.part))).toEqual({ filter: { title, ...sent } });
    }
    expect(await service.graphql('{ posts(filter: { author: 1 }) }', reader)).toHaveProperty('errors');
  });

  test('gets an error with the name of a missing session variable', async () => {
    expect(await service.graphql('{ me }', { 'x-service-role': 'reader' })).toMatchObject({
      data: { me: null },
      errors: [{ message: 'missing session variable: "x-service-user-id"' }],
    });
  });

  test('has the relationships to visible fields, with presets of their arguments', async () => {
    const { account } = await dataOf('{ account { user { name } posts { title } filtered } }');
    const [row] = account as { user: unknown; posts: { title: string }[]; filtered: string }[];
    expect(row?.user).toEqual({ name: 'user 1' });
    expect(JSON.parse(row?.posts[0]?.title ?? '')).toEqual({ tag: 'x-service-tag', first: 3 });
    expect(await service.graphql('{ account { phone } }', reader)).toMatchObject({
      errors: [{ message: "field 'phone' not found in type: 'account'" }],
    });
  });
});

describe('presets of an input object that a relationship supplies', () => {
  const preset = { author: '7', tenants: [1, 2] };
  const filterOf = async (field: string) => {
    const { account } = (await dataOf(`{ account { value: ${field} } }`)) as { account: readonly { value: string }[] };
    return (JSON.parse(account[0]?.value ?? '{}') as { filter?: unknown }).filter;
  };

  test('are sent with the members of the relationship', async () => {
    expect(await filterOf('filtered')).toEqual({ ...preset, title: '1' });
  });

  test('are sent with the members of the client', async () => {
    expect(await filterOf('filtered(filter: {order: NEWEST})')).toEqual({ ...preset, title: '1', order: 'NEWEST' });
  });

  test.each(['by_author', 'ranged'])(
    'hide a relationship that supplies a member which the role may not set (%s)',
    async (name) => {
      expect(await service.graphql(`{ account { ${name} } }`, reader)).toMatchObject({
        errors: [{ message: `field '${name}' not found in type: 'account'` }],
      });
    },
  );
});

describe('a permission on a remote schema', () => {
  test.each([
    ['invalid SDL', 'type Query {', 'it is not valid SDL'],
    [
      'a type that does not exist',
      'type Query { user(id: ID!): Person } type Person { id: ID! }',
      'the remote schema has no type "Person"',
    ],
    [
      'a field that does not exist',
      'type Query { usr: String }',
      'field "usr" of type "Query" is not in the remote schema',
    ],
    [
      'a field of another type',
      'type Query { internal: String! }',
      'has type String!, and in the remote schema it has type String',
    ],
    [
      'a missing required argument',
      'type Query { user: User } type User { id: ID! }',
      'needs its argument "id" of type ID!',
    ],
    ['an argument that does not exist', 'type Query { internal(a: Int): String }', 'argument "a" of field "internal"'],
    ['a type that it does not define', 'type Query { user(id: ID!): User }', 'type "User" is used and not defined'],
    [
      'a type of another kind',
      'type Query { hit(id: ID!): Hit } type Hit { id: ID! }',
      'type "Hit" is of another kind',
    ],
    [
      'a preset of the wrong type',
      'type Query { me(id: Int! @preset(value: "x")): String }',
      'the preset "x" is not a value of type Int!',
    ],
    [
      'a value that the enum does not have',
      'type Query { internal: String } enum Order { RANDOM }',
      '"RANDOM" is not in the remote schema',
    ],
    [
      'two schema definitions',
      'schema { query: Query } schema { query: Query } type Query { internal: String }',
      'schema',
    ],
    [
      'a field twice',
      'type Query { internal: String internal: String }',
      'field "internal" of type "Query" is defined twice',
    ],
    [
      'an argument twice',
      'type Query { me(id: Int!, id: Int!): String }',
      'argument "id" of field "me" of type "Query" is defined twice',
    ],
    ['a value of an enum twice', 'type Query { internal: String } enum Order { OLDEST OLDEST }', '"OLDEST" is twice'],
    [
      'a member of a union twice',
      'type Query { hit(id: ID!): Hit } union Hit = Post | Post type Post { id: ID! }',
      '"Post" is twice',
    ],
    [
      'a field of an input object twice',
      'type Query { posts(filter: PostFilter): String } input PostFilter { author: ID! author: ID! }',
      'field "author" of input object "PostFilter" is defined twice',
    ],
    [
      'a default value that the remote schema does not have',
      'type Query { posts(limit: Int = 5): String }',
      'has the default value 5, and another in the remote schema',
    ],
    [
      'an unknown member of a preset',
      'type Query { posts(filter: PostFilter @preset(value: { author: 1, writer: 2 })): String } input PostFilter { author: ID! }',
      'type PostFilter has no field "writer"',
    ],
    [
      'a preset without a required member',
      'type Query { posts(filter: PostFilter @preset(value: { title: "a" })): String } input PostFilter { author: ID! }',
      'the preset needs the field "author" of type ID!',
    ],
    [
      'a preset of an enum value that the role does not have',
      'type Query { posts(filter: PostFilter): String } enum Order { NEWEST } input PostFilter { author: ID! order: Order @preset(value: OLDEST) }',
      'the preset OLDEST is not among the values that the role has of enum "Order"',
    ],
    ['no query root', 'type User { id: ID! }', 'the query root "Query" is missing'],
    ['an unknown directive', 'type Query { internal: String @hide }', 'has the directive @hide'],
    [
      'another query root',
      'schema { query: User } type User { id: ID! }',
      'the query root is "User", and the remote schema has "Query"',
    ],
  ])('is rejected with %s', async (_reason, schema, message) => {
    const { status, body } = await service.post('/v1/metadata', {
      type: 'add_remote_schema_permissions',
      args: { remote_schema: 'blog', role: 'other', definition: { schema } },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'validation-failed' });
    expect((body as { error: string }).error).toContain(message);
  });

  test('is unique for a role, and can be dropped', async () => {
    const args = { remote_schema: 'blog', role: 'guest', definition: { schema: 'type Query { internal: String }' } };
    await service.command('add_remote_schema_permissions', args);
    expect(await service.graphql('{ internal }', { 'x-service-role': 'guest' })).toEqual({
      data: { internal: 'secret' },
    });
    await expect(service.command('add_remote_schema_permissions', args)).rejects.toThrow('already-exists');
    const exported = (await service.command('export_metadata', {})) as { remote_schemas: { permissions: unknown }[] };
    expect(exported.remote_schemas[0]?.permissions).toContainEqual({ role: 'guest', definition: args.definition });
    await service.command('drop_remote_schema_permissions', { remote_schema: 'blog', role: 'guest' });
    expect(await service.graphql('{ internal }', { 'x-service-role': 'guest' })).toHaveProperty('errors');
    await expect(
      service.command('drop_remote_schema_permissions', { remote_schema: 'blog', role: 'guest' }),
    ).rejects.toThrow('not-exists');
  });
});

test('session variables at any depth of a preset are sent as values, and not where the preset is static', async () => {
  const schema = (options: string) => `
    input Range { from: Int to: Int }
    input PostFilter { author: ID! title: String range: Range tenants: [Int!] }
    type Query {
      posts(filter: PostFilter @preset(value: {
        author: "x-service-user-id", title: "fixed", range: { from: 1, to: "X-Service-Most" }, tenants: [1, "x-service-most"]
      }${options})): String
    }`;
  const add = (role: string, definition: object) =>
    service.command('add_remote_schema_permissions', { remote_schema: 'blog', role, definition });
  await add('nested', { schema: schema('') });
  const session = { 'x-service-role': 'nested', 'x-service-user-id': '7', 'x-service-most': '9' };
  expect(await service.graphql('{ posts }', session)).toEqual({
    data: {
      posts: JSON.stringify({
        filter: { author: '7', title: 'fixed', range: { from: 1, to: 9 }, tenants: [1, 9] },
      }),
    },
  });
  for (const most of ['', 'nine', '1.5']) {
    expect(await service.graphql('{ posts }', { ...session, 'x-service-most': most })).toMatchObject({
      errors: [{ message: expect.stringContaining('"x-service-most"'), extensions: { code: 'coercion-error' } }],
    });
  }
  await expect(add('literal', { schema: schema(', static: true') })).rejects.toThrow('is not a value of type Int');
});

test('a session variable of a preset is one of the enum values that the role has', async () => {
  const schema =
    'enum Order { NEWEST } input PostFilter { author: ID! order: Order @preset(value: "x-service-order") } ';
  await service.command('add_remote_schema_permissions', {
    remote_schema: 'blog',
    role: 'sorted',
    definition: { schema: `${schema} type Query { posts(filter: PostFilter): String }` },
  });
  const postsBy = (order: string) =>
    service.graphql('{ posts(filter: { author: 1 }) }', { 'x-service-role': 'sorted', 'x-service-order': order });
  const sent = JSON.stringify({ filter: { author: '1', order: 'NEWEST' } });
  expect(await postsBy('NEWEST')).toEqual({ data: { posts: sent } });
  expect(await postsBy('OLDEST')).toMatchObject({
    data: { posts: null },
    errors: [{ message: expect.stringContaining('"x-service-order"'), extensions: { code: 'coercion-error' } }],
  });
});

test('an inherited role has the permission of its parent roles unless their permissions differ', async () => {
  const add = (role: string, schema: string) =>
    service.command('add_remote_schema_permissions', { remote_schema: 'blog', role, definition: { schema } });
  await add('one', 'type Query { internal: String }');
  // Has the same meaning in another order.
  await add('two', 'schema { query: Query } scalar String  type Query { "the secret" internal: String }');
  await add('three', 'type Query { user(id: ID!): User } type User { name: String! }');
  await service.command('add_inherited_role', { role_name: 'equal', role_set: ['one', 'two'] });
  await service.command('add_inherited_role', { role_name: 'differing', role_set: ['one', 'three'] });
  const as = (role: string) => service.graphql('{ internal }', { 'x-service-role': role });
  expect(await as('equal')).toEqual({ data: { internal: 'secret' } });
  expect(await as('differing')).toHaveProperty('errors');
  expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({
    inconsistent_objects: [
      { type: 'inherited_role_permission', name: 'differing: permission on remote schema "blog"' },
    ],
  });
});
