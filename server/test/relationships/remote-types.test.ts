/** Relationships from types of a remote schema to tables and to other remote schemas. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const post = (id: string) => ({
  __typename: 'Post',
  id,
  authorId: Number(id),
  tagIds: [2, 1, 9],
  place: `P${id}`,
  writer: { id: 8, name: 'W' },
});
const root = {
  posts: ({ ids }: { ids: string[] }) => ids.map((id) => (id === '0' ? null : post(id))),
  feed: {
    pages: [
      {
        items: [post('1'), { __typename: 'Note', id: 'n', text: 'hi', signature: 'Bob', writer: { id: 7, name: 'N' } }],
      },
      { items: [post('2')] },
    ],
  },
};
const sdl = `
  interface Item { id: ID! }
  type Post implements Item { id: ID! authorId: Int tagIds: [Int!] place: String writer: Writer }
  type Note implements Item { id: ID! text: String signature: String writer: Writer }
  type Writer { id: Int! name: String! }
  type Page { items: [Item!]! }
  type Feed { pages: [Page!]! }
  type Query { posts(ids: [ID!]!): [Post]! feed: Feed }
`;
const rename = {
  type_names: { mapping: { Post: 'Article' } },
  field_names: [{ parent_type: 'Post', mapping: { authorId: 'writtenBy' } }],
};

let blog: GraphQLServer;
let weather: GraphQLServer;
let service: TestService;
beforeAll(async () => {
  [blog, weather] = await Promise.all([
    startGraphQLServer(sdl, root),
    startGraphQLServer('type Query { weather(place: String!): Weather } type Weather { text: String }', {
      weather: ({ place }: { place: string }) =>
        place === 'P2' ? Promise.reject(new Error('no forecast')) : { text: place },
    }),
  ]);
  service = await startService(
    {},
    {
      migrated: true,
      sql: `
        create table author (id int primary key, name text, hidden boolean not null default false);
        create table tag (id int primary key, name text, author int);
        insert into author values (1, 'Ann'), (2, 'Bob');
        insert into tag values (1, 'one', 1), (2, 'two', 1), (3, 'three', 2);
      `,
    },
  );
  for (const table of ['author', 'tag']) await service.command('track_table', { table });
  await service.command('add_remote_schema', { name: 'blog', definition: { url: blog.url } });
  await service.command('add_remote_schema', { name: 'weather', definition: { url: weather.url } });
  const add = (name: string, definition: unknown) =>
    service.command('create_remote_schema_remote_relationship', {
      remote_schema: 'blog',
      type_name: 'Post',
      name,
      definition,
    });
  const rows = (table: string, relationship_type: string, field_mapping: unknown) => ({
    to_source: { source: 'default', table, relationship_type, field_mapping },
  });
  await add('author', rows('author', 'object', { authorId: 'id' }));
  await add('tags', rows('tag', 'array', { authorId: 'author' }));
  await add('marked', rows('tag', 'object', { tagIds: 'id' }));
  await add('weather', {
    to_remote_schema: {
      remote_schema: 'weather',
      lhs_fields: ['place'],
      remote_field: { weather: { arguments: { place: '$place' } } },
    },
  });
});
afterAll(async () => {
  await Promise.all([blog.close(), weather.close(), service.stop()]);
});
beforeEach(() => {
  blog.reset();
  weather.reset();
});

test('a relationship from a remote type returns rows with one request to the remote schema, and hides keys that the client did not select', async () => {
  const query = `{ posts(ids: ["1", "0", "2", "3", "1"]) {
    place writer: author { name } tags(order_by: { id: desc }) { name } tags_aggregate { aggregate { count } } id
  } }`;
  const of = (id: number, name: string | null, tags: readonly string[]) => ({
    place: `P${id}`,
    writer: name === null ? null : { name },
    tags: tags.map((tag) => ({ name: tag })),
    tags_aggregate: { aggregate: { count: tags.length } },
    id: String(id),
  });
  const response = (await service.graphql(query)) as { data: { posts: unknown[] } };
  const ann = of(1, 'Ann', ['two', 'one']);
  expect(response).toEqual({ data: { posts: [ann, null, of(2, 'Bob', ['three']), of(3, null, []), ann] } });
  expect(Object.keys(response.data.posts[0] as object)).toEqual(['place', 'writer', 'tags', 'tags_aggregate', 'id']);
  expect(blog.requests).toHaveLength(1);
});

test('a relationship from a remote type accepts lists of keys, and reports errors of the target remote schema with their path', async () => {
  const response = await service.graphql('{ posts(ids: ["1", "2"]) { marked { name } weather { text } } }');
  const marked = [{ name: 'two' }, { name: 'one' }, null];
  expect(response).toMatchObject({
    data: {
      posts: [
        { marked, weather: { text: 'P1' } },
        { marked, weather: null },
      ],
    },
    errors: [{ message: 'no forecast', path: ['posts', 1, 'weather'] }],
  });
  expect([blog.requests.length, weather.requests.length]).toEqual([1, 1]);
});

test('a relationship from a remote type may be selected at any depth, in lists, fragments and types of interfaces', async () => {
  const query = `{ feed { pages { items { id ...on Post { author { name } } ...note } } } }
    fragment note on Note { text }`;
  expect(await service.graphql(query)).toEqual({
    data: {
      feed: {
        pages: [
          {
            items: [
              { id: '1', author: { name: 'Ann' } },
              { id: 'n', text: 'hi' },
            ],
          },
          { items: [{ id: '2', author: { name: 'Bob' } }] },
        ],
      },
    },
  });
});

test('relationships of several types may have the same name in one list', async () => {
  const at = { remote_schema: 'blog', type_name: 'Note', name: 'author' };
  await service.command('create_remote_schema_remote_relationship', {
    ...at,
    definition: {
      to_source: {
        source: 'default',
        table: 'author',
        relationship_type: 'object',
        field_mapping: { signature: 'name' },
      },
    },
  });
  const query = `{ feed { pages { items { ...on Post { author { name } } ...on Note { author { id } } ...again } } } }
    fragment again on Post { author { number: id } }`;
  const result = await service.graphql(query);
  await service.command('delete_remote_schema_remote_relationship', at);
  expect(result).toEqual({
    data: {
      feed: {
        pages: [
          { items: [{ author: { name: 'Ann', number: 1 } }, { author: { id: 2 } }] },
          { items: [{ author: { name: 'Bob', number: 2 } }] },
        ],
      },
    },
  });
});

test('a relationship and a field of another type may have the same name in one list', async () => {
  const query = `{ feed { pages { items { ...on Note { author: writer { id } } ...on Post { author { id } } } } } }`;
  expect(await service.graphql(query)).toEqual({
    data: {
      feed: { pages: [{ items: [{ author: { id: 1 } }, { author: { id: 7 } }] }, { items: [{ author: { id: 2 } }] }] },
    },
  });
});

test('an object of one type does not need what is selected for another one', async () => {
  const query = `{ feed { pages { items { ...on Note { writer { id } } ...on Post { writer { name } } } } } }`;
  expect(await service.graphql(query)).toEqual({
    data: {
      feed: {
        pages: [{ items: [{ writer: { name: 'W' } }, { writer: { id: 7 } }] }, { items: [{ writer: { name: 'W' } }] }],
      },
    },
  });
});

test('a relationship from a remote type accepts variables, and merges two selections of the same field', async () => {
  const query = `query ($most: Int, $ids: [ID!]!) {
    posts(ids: $ids) { tags(limit: $most, order_by: { id: asc }) { id } tags(limit: $most, order_by: { id: asc }) { name } }
  }`;
  expect(await service.graphql(query, {}, { most: 1, ids: ['1'] })).toEqual({
    data: { posts: [{ tags: [{ id: 1, name: 'one' }] }] },
  });
  expect(blog.requests[0]?.variables).toEqual({ ids: ['1'] });
});

test('a relationship from a remote type applies the permissions of the role on the target, and is absent without one', async () => {
  expect(
    await service.graphql('{ posts(ids: ["1"]) { author { name } } }', { 'x-service-role': 'user' }),
  ).toMatchObject({
    errors: [{ message: "field 'author' not found in type: 'Post'" }],
  });
  await service.command('create_select_permission', {
    table: 'author',
    role: 'user',
    permission: { columns: ['name'], filter: { id: { _eq: 2 } } },
  });
  expect(await service.graphql('{ posts(ids: ["1", "2"]) { author { name } } }', { 'x-service-role': 'user' })).toEqual(
    { data: { posts: [{ author: null }, { author: { name: 'Bob' } }] } },
  );
});

test('a relationship from a remote type returns rows if its type and key are renamed by a customization', async () => {
  await service.command('update_remote_schema', { name: 'blog', definition: { url: blog.url, customization: rename } });
  expect(await service.graphql('{ posts(ids: ["2"]) { __typename writtenBy author { name } } }')).toEqual({
    data: { posts: [{ __typename: 'Article', writtenBy: 2, author: { name: 'Bob' } }] },
  });
  await service.command('update_remote_schema', { name: 'blog', definition: { url: blog.url } });
});

test('a relationship from a remote type is created, changed and dropped by commands, and updated when its table is renamed', async () => {
  const at = { remote_schema: 'blog', type_name: 'Post', name: 'extra' };
  const to = (table: string) => ({
    to_source: { source: 'default', table, relationship_type: 'object', field_mapping: { authorId: 'id' } },
  });
  await service.command('create_remote_schema_remote_relationship', { ...at, definition: to('author') });
  await expect(
    service.command('create_remote_schema_remote_relationship', { ...at, definition: to('author') }),
  ).rejects.toThrow('already-exists');
  await service.command('update_remote_schema_remote_relationship', { ...at, definition: to('tag') });
  expect(await service.graphql('{ posts(ids: ["3"]) { extra { name } } }')).toEqual({
    data: { posts: [{ extra: { name: 'three' } }] },
  });
  await service.command('run_sql', { sql: 'alter table tag rename to label' });
  expect(await service.graphql('{ posts(ids: ["3"]) { extra { name } } }')).toEqual({
    data: { posts: [{ extra: { name: 'three' } }] },
  });
  await service.command('delete_remote_schema_remote_relationship', at);
  expect(await service.graphql('{ posts(ids: ["3"]) { extra { name } } }')).toHaveProperty('errors');
  await expect(service.command('delete_remote_schema_remote_relationship', at)).rejects.toThrow('not-exists');
});

interface InvalidDefinition {
  readonly type_name?: string;
  readonly name?: string;
  readonly key?: string;
  readonly column?: string;
}

test.each<[string, InvalidDefinition, string]>([
  ['a type that does not exist', { type_name: 'Missing' }, 'the remote schema has no object type "Missing"'],
  ['the name of a field of the type', { name: 'place' }, 'the type has a field or relationship "place" already'],
  ['a key that does not exist', { key: 'nothing' }, 'type "Post" has no field "nothing" without arguments'],
  ['a column of another type', { column: 'hidden' }, 'the two cannot be compared'],
])(
  'a relationship from a remote type is rejected with %s',
  async (_reason, { type_name = 'Post', name = 'bad', key = 'authorId', column = 'id' }, message) => {
    const { status, body } = await service.post('/v1/metadata', {
      type: 'create_remote_schema_remote_relationship',
      args: {
        remote_schema: 'blog',
        type_name,
        name,
        definition: {
          to_source: {
            source: 'default',
            table: 'author',
            relationship_type: 'object',
            field_mapping: { [key]: column },
          },
        },
      },
    });
    expect(status).toBe(400);
    expect((body as { error: string }).error).toContain(message);
  },
);

test.each([
  ['an object', { a: 1 }],
  ['a string that is not a number', 'x'],
  ['a list', [1, 2]],
  ['a fraction', 1.5],
  ['a boolean', true],
])(
  'a relationship from a remote type is null with an error at its path if the key is %s instead of an Int',
  async (_value, authorId) => {
    blog.respondWith(() => {
      const posts = [
        { author: 'Post', joinery_Post_authorId: authorId },
        { author: 'Post', joinery_Post_authorId: 2 },
      ];
      return { status: 200, body: JSON.stringify({ data: { posts } }) };
    });
    expect(await service.graphql('{ posts(ids: ["1", "2"]) { author { name } } }')).toMatchObject({
      data: { posts: [{ author: null }, { author: { name: 'Bob' } }] },
      errors: [{ path: ['posts', 0], extensions: { code: 'remote-schema-error' } }],
    });
  },
);
