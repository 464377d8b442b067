/** Customization of remote schemas: namespaces, prefixes, suffixes and mappings of types and fields. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sdl = `
  scalar Timestamp
  enum Speed { SLOW FAST }
  interface Thing { id: ID! name: String }
  type Box implements Thing { id: ID! name: String size(unit: Unit = CM): Int inside: [Thing] }
  type Letter implements Thing { id: ID! name: String pages: Int }
  union Found = Box | Letter
  enum Unit { CM M }
  input Filter { speed: Speed after: Timestamp nested: [Filter!] }
  type Query {
    thing(id: ID!): Thing
    things(filter: Filter, first: Int): [Thing!]!
    find(id: ID!): Found
    echo(filter: Filter!): String
    boxOf(id: ID!): Box
  }
  type Mutation { rename(id: ID!, name: String!): Thing }
`;
const thing = (id: string, name = `thing ${id}`) => ({
  __typename: id.startsWith('b') ? 'Box' : 'Letter',
  id,
  name,
  size: ({ unit }: { unit: string }) => (unit === 'M' ? 1 : 100),
  inside: () => [thing('l9'), thing('b9')],
  pages: 2,
});
const root = {
  thing: ({ id }: { id: string }) => (id === 'missing' ? Promise.reject(new Error('no such thing')) : thing(id)),
  things: () => [thing('b1'), thing('l1')],
  find: ({ id }: { id: string }) => thing(id),
  boxOf: ({ id }: { id: string }) => thing(`b${id}`),
  echo: (args: unknown) => JSON.stringify(args),
  rename: ({ id, name }: { id: string; name: string }) => thing(id, name),
};
const customization = {
  root_fields_namespace: 'store',
  type_names: { prefix: 'S_', suffix: '_X', mapping: { Box: 'Crate', Letter: 'Mail', ID: 'Key' } },
  field_names: [
    { parent_type: 'Query', mapping: { thing: 'item', things: 'items' } },
    { parent_type: 'Thing', prefix: 'my_', mapping: { id: 'key' } },
    { parent_type: 'Box', prefix: 'my_', mapping: { id: 'key', inside: 'content' } },
    { parent_type: 'Letter', prefix: 'my_', suffix: '_too', mapping: { id: 'key', name: 'my_name' } },
  ],
};

let upstream: GraphQLServer;
let other: GraphQLServer;
let service: TestService;
beforeAll(async () => {
  upstream = await startGraphQLServer(sdl, root);
  other = await startGraphQLServer('type Thing { id: Int } type Query { thing: Thing thing_count: Int }', {
    thing: { id: 1 },
    thing_count: 3,
  });
  service = await startService(
    {},
    { migrated: true, sql: 'create table item (id int primary key); insert into item values (1), (2)' },
  );
  await service.command('track_table', { table: 'item' });
  await service.command('add_remote_schema', { name: 'store', definition: { url: upstream.url, customization } });
  await service.command('create_remote_relationship', {
    name: 'box',
    table: 'item',
    definition: {
      to_remote_schema: {
        remote_schema: 'store',
        lhs_fields: ['id'],
        remote_field: { boxOf: { arguments: { id: '$id' } } },
      },
    },
  });
});
afterAll(async () => {
  await Promise.all([upstream.close(), other.close(), service.stop()]);
});
beforeEach(() => upstream.reset());

describe('a customized remote schema', () => {
  test('receives its own names, and returns customized names and aliases', async () => {
    const query = `query ($id: Key!) {
      shop: store {
        one: item(id: $id) { __typename key n: my_name ... on Crate { my_size(unit: M) content { is: __typename key } } }
        items { key ...mail }
      }
    }
    fragment mail on Mail { my_pages_too __typename }`;
    expect(await service.graphql(query, {}, { id: 'b5' })).toEqual({
      data: {
        shop: {
          one: {
            __typename: 'Crate',
            key: 'b5',
            n: 'thing b5',
            my_size: 1,
            content: [
              { is: 'Mail', key: 'l9' },
              { is: 'Crate', key: 'b9' },
            ],
          },
          items: [{ key: 'b1' }, { key: 'l1', my_pages_too: 2, __typename: 'Mail' }],
        },
      },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  test('accepts input and variables of customized types', async () => {
    const query = 'query ($f: S_Filter_X!) { store { echo(filter: $f) } }';
    const variables = { f: { speed: 'FAST', after: 'now', nested: [{ speed: 'SLOW' }] } };
    const { data } = (await service.graphql(query, {}, variables)) as { data: { store: { echo: string } } };
    expect(JSON.parse(data.store.echo)).toEqual({ filter: variables.f });
    expect(
      await service.graphql('query ($id: ID!) { store { item(id: $id) { key } } }', {}, { id: 'b' }),
    ).toMatchObject({
      errors: [
        { message: expect.stringContaining("variable 'id' is declared as 'ID!', but used where 'Key!'") as unknown },
      ],
    });
  });

  test('supports unions and mutations', async () => {
    expect(await service.graphql('{ store { __typename } }')).toEqual({
      data: { store: { __typename: 'storeQuery' } },
    });
    expect(await service.graphql('{ __type(name: "storeMutation") { name } }')).toEqual({
      data: { __type: { name: 'storeMutation' } },
    });
    expect(await service.graphql('{ store { find(id: "l2") { ... on Mail { key __typename } } } }')).toEqual({
      data: { store: { find: { key: 'l2', __typename: 'Mail' } } },
    });
    expect(
      await service.graphql('mutation { store { rename(id: "b2", name: "new") { my_name __typename } } }'),
    ).toEqual({
      data: { store: { rename: { my_name: 'new', __typename: 'Crate' } } },
    });
  });

  test('reports errors with customized names', async () => {
    expect(await service.graphql('{ store { a: item(id: "missing") { key } items { key } } }')).toMatchObject({
      data: { store: { a: null, items: [{ key: 'b1' }, { key: 'l1' }] } },
      errors: [{ message: 'no such thing', path: ['store', 'a'] }],
    });
  });

  test('has only customized names in introspection', async () => {
    const query =
      '{ crate: __type(name: "Crate") { fields { name } interfaces { name } } box: __type(name: "Box") { name } thing: __type(name: "S_Thing_X") { possibleTypes { name } } }';
    expect(await service.graphql(query)).toEqual({
      data: {
        crate: {
          fields: ['content', 'key', 'my_name', 'my_size'].map((name) => ({ name })),
          interfaces: [{ name: 'S_Thing_X' }],
        },
        box: null,
        thing: { possibleTypes: [{ name: 'Crate' }, { name: 'Mail' }] },
      },
    });
  });

  test('is the target of a relationship that is defined with its own names', async () => {
    expect(await service.graphql('{ item(order_by: { id: asc }) { id box { key __typename my_size } } }')).toEqual({
      data: {
        item: [1, 2].map((id) => ({ id, box: { key: `b${id}`, __typename: 'Crate', my_size: 100 } })),
      },
    });
  });

  test('does not conflict with a remote schema with the same original names', async () => {
    await service.command('add_remote_schema', { name: 'other', definition: { url: other.url } });
    expect(await service.graphql('{ thing { id } thing_count store { items { key } } }')).toMatchObject({
      data: { thing: { id: 1 }, thing_count: 3, store: { items: [{ key: 'b1' }, { key: 'l1' }] } },
    });
    await service.command('update_remote_schema', {
      name: 'other',
      definition: { url: other.url, customization: { type_names: { prefix: 'O' } } },
    });
    expect(await service.graphql('{ thing { __typename } }')).toEqual({ data: { thing: { __typename: 'OThing' } } });
    await service.command('remove_remote_schema', { name: 'other' });
  });

  test('is exported unchanged', async () => {
    const exported = (await service.command('export_metadata', {})) as {
      remote_schemas: { definition: { customization: unknown } }[];
    };
    expect(exported.remote_schemas[0]?.definition.customization).toEqual(customization);
  });
});

describe('a customization is rejected', () => {
  const add = (invalid: unknown) =>
    service.post('/v1/metadata', {
      type: 'add_remote_schema',
      args: { name: 'again', definition: { url: upstream.url, customization: invalid } },
    });
  test.each([
    [
      'if it gives two types the same name',
      { type_names: { mapping: { Box: 'Foo', Letter: 'Foo' } } },
      'Type name mappings are not distinct; the following types appear more than once: "Foo"',
    ],
    [
      'if it gives two fields the same name',
      { field_names: [{ parent_type: 'Box', mapping: { size: 'name' } }] },
      'Field name mappings for object type "Box" are not distinct; the following fields appear more than once: "name"',
    ],
    [
      'if it renames a field of a type but not of its interface',
      { field_names: [{ parent_type: 'Box', mapping: { name: 'label' } }] },
      'Interface field name maps to "name". Type field name maps to "label".',
    ],
    [
      'if it renames __typename',
      { field_names: [{ parent_type: 'Box', mapping: { __typename: 'kind' } }] },
      'attempt to customize reserved field name "__typename"',
    ],
    [
      'if its names exist',
      { type_names: { prefix: 'S_', suffix: '_X' }, root_fields_namespace: 'item' },
      'is taken by',
    ],
    ['if its names are invalid in GraphQL', { type_names: { prefix: '1' } }, 'is not a valid name of a GraphQL type'],
  ])('%s', async (_reason, invalid, message) => {
    const { status, body } = await add(invalid);
    expect(status).toBe(400);
    expect((body as { error: string }).error).toContain(message);
  });
});
