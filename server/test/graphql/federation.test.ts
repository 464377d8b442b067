/** Apollo Federation v1: the schema as a subgraph, and entities by their keys under the permissions of the caller. */
import { buildASTSchema, isObjectType, parse, validateSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key, name text not null, secret text);
  insert into author values (1, 'Ada', 'x'), (2, 'Bea', 'y'), (3, 'Cyd', null);
  create table edition (book text, number int, author_id int references author, primary key (book, number));
  insert into edition values ('Trees', 1, 1), ('Trees', 2, 2);
  create table plain (id int primary key);
`;
const enable = { apollo_federation_config: { enable: 'v1' } };

let service: TestService;

beforeAll(async () => {
  service = await startService({ JOINERY_APOLLO_FEDERATION: 'true' }, { sql });
  await service.command('bulk', [
    { type: 'pg_track_table', args: { table: 'author', ...enable } },
    { type: 'pg_track_table', args: { table: 'edition' } },
    { type: 'pg_track_table', args: { table: 'plain' } },
    { type: 'pg_set_apollo_federation_config', args: { table: 'edition', ...enable } },
    {
      type: 'create_object_relationship',
      args: { table: 'edition', name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
    },
    {
      type: 'create_select_permission',
      args: { table: 'author', role: 'user', permission: { columns: ['id', 'name'], filter: { id: { _lt: 3 } } } },
    },
    {
      type: 'create_select_permission',
      args: { table: 'edition', role: 'user', permission: { columns: ['book'], filter: {} } },
    },
    {
      type: 'create_select_permission',
      args: { table: 'plain', role: 'other', permission: { columns: ['id'], filter: {} } },
    },
    { type: 'set_graphql_schema_introspection_options', args: { disabled_for_roles: ['other'] } },
  ]);
}, 60_000);

afterAll(() => service.stop());

const user = { 'x-service-role': 'user' };

async function sdlOf(session?: Record<string, string>): Promise<string> {
  const { data } = (await service.graphql('{ _service { sdl } }', session)) as { data: { _service: { sdl: string } } };
  return data._service.sdl;
}

test('/v1alpha1/config returns that Apollo Federation is enabled', async () => {
  const response = await fetch(`${service.url}/v1alpha1/config`);
  expect(await response.json()).toMatchObject({ is_apollo_federation_enabled: true });
});

describe('_service', () => {
  test('returns SDL that graphql-js accepts with the directive of federation', async () => {
    const sdl = await sdlOf();
    const directive = 'directive @key(fields: String!) repeatable on OBJECT | INTERFACE';
    const schema = buildASTSchema(parse(`${directive}\n${sdl}`));
    expect(validateSchema(schema)).toEqual([]);
    expect(schema.getQueryType()?.name).toBe('query_root');
    expect(schema.getMutationType()?.name).toBe('mutation_root');
    const author = schema.getType('author');
    expect(isObjectType(author) && Object.keys(author.getFields())).toEqual(['id', 'name', 'secret']);
  });

  test('marks the types of enabled tables with their primary keys', async () => {
    const sdl = await sdlOf();
    expect(sdl).toContain('type author @key(fields: "id") {');
    expect(sdl).toContain('type edition @key(fields: "book number") {');
    expect(sdl).toContain('type plain {');
  });

  test.each(['_service', '_entities', '_Any', '_Entity', '_Service', '@link', 'directive @'])(
    'leaves out %s',
    async (name) => {
      expect(await sdlOf()).not.toContain(name);
    },
  );

  test('has what the role may select, and keys whose columns it may select', async () => {
    const sdl = await sdlOf(user);
    expect(sdl).toContain('type author @key(fields: "id") {');
    expect(sdl).toContain('type edition {');
    expect(sdl).not.toMatch(/secret|plain|mutation_root/);
  });

  test('takes aliases and `__typename`', async () => {
    const body = await service.graphql('{ schema: _service { __typename text: sdl } }', user);
    expect(body).toEqual({ data: { schema: { __typename: '_Service', text: await sdlOf(user) } } });
  });

  test('does not exist for a role that may not read the schema', async () => {
    expect(await service.graphql('{ _service { sdl } }', { 'x-service-role': 'other' })).toMatchObject({
      errors: [{ message: "field '_service' not found in type: 'query_root'" }],
    });
  });
});

const entities = (representations: unknown, selection = '... on author { id name }', session = {}) =>
  service.graphql(
    `query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename ${selection} } }`,
    session,
    { representations },
  );

describe('_entities', () => {
  test('returns rows in the order of the representations, and null for a missing row', async () => {
    const body = await entities(
      [
        { __typename: 'author', id: 2 },
        { __typename: 'edition', book: 'Trees', number: 2 },
        { __typename: 'author', id: 9 },
        { __typename: 'author', id: 1, other: 'is ignored' },
        { __typename: 'author', id: null },
      ],
      '... on author { id name } ... on edition { number author { name } }',
    );
    expect(body).toEqual({
      data: {
        _entities: [
          { __typename: 'author', id: 2, name: 'Bea' },
          { __typename: 'edition', number: 2, author: { name: 'Bea' } },
          null,
          { __typename: 'author', id: 1, name: 'Ada' },
          null,
        ],
      },
    });
  });

  test('takes representations in the document', async () => {
    const document = '{ _entities(representations: [{ __typename: "author", id: 1 }]) { ... on author { n: name } } }';
    expect(await service.graphql(document)).toEqual({ data: { _entities: [{ n: 'Ada' }] } });
  });

  test('applies the row filter and the columns of the role', async () => {
    const both = [
      { __typename: 'author', id: 3 },
      { __typename: 'author', id: 1 },
    ];
    expect(await entities(both, undefined, user)).toEqual({
      data: { _entities: [null, { __typename: 'author', id: 1, name: 'Ada' }] },
    });
    expect(await entities(both, '', user)).toEqual({ data: { _entities: [null, { __typename: 'author' }] } });
    expect(await entities(both, '... on author { secret }', user)).toMatchObject({
      errors: [{ message: "field 'secret' not found in type: 'author'" }],
    });
  });

  test('does not resolve a type whose key the role may not select', async () => {
    expect(await entities([{ __typename: 'edition', book: 'Trees', number: 1 }], undefined, user)).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    });
  });

  test('runs one statement for each type', async () => {
    const { body } = await service.post('/v1/graphql/explain', {
      format: 'tree',
      query: {
        query: '{ _entities(representations: []) { ... on author { id } ... on edition { book } } }',
      },
    });
    expect(body).toMatchObject({
      steps: [
        { kind: 'statement', fields: ['_entities'], sql: expect.stringContaining('"author"') },
        { kind: 'statement', fields: ['_entities'], sql: expect.stringContaining('"edition"') },
      ],
    });
  });

  test.each([
    ['text', 'expected an object for type _Any', ''],
    [{ id: 1 }, 'cannot find __typename in _Any type', ''],
    [{ __typename: 5, id: 1 }, '__typename in _Any type must be a string', '.__typename'],
    [
      { __typename: 'plain', id: 1 },
      'plain is not found in selection set or apollo federation is not enabled for the type',
      '.__typename',
    ],
    [
      { __typename: 'toString', id: 1 },
      'toString is not found in selection set or apollo federation is not enabled for the type',
      '.__typename',
    ],
    [{ __typename: 'author' }, 'cannot find id in _Any type', ''],
    [{ __typename: 'edition', book: 'Trees' }, 'cannot find number in _Any type', ''],
  ])('rejects the representation %j: %s', async (representation, message, path) => {
    expect(await entities([{ __typename: 'author', id: 1 }, representation])).toMatchObject({
      errors: [
        {
          message,
          extensions: {
            code: 'validation-failed',
            path: `$.selectionSet._entities.args.representations[1]${path}`,
          },
        },
      ],
    });
  });

  test('rejects a key of another type with the path of the member', async () => {
    expect(await entities([{ __typename: 'author', id: 'first' }])).toMatchObject({
      errors: [{ extensions: { path: '$.selectionSet._entities.args.representations[0].id' } }],
    });
  });
});

describe('the metadata', () => {
  const tables = async () => {
    const { sources } = (await service.command('export_metadata', {})) as { sources: { tables: object[] }[] };
    return sources[0]?.tables;
  };

  test('has apollo_federation_config of tables, which null removes', async () => {
    expect(await tables()).toContainEqual(
      expect.objectContaining({ table: { name: 'edition', schema: 'public' }, ...enable }),
    );
    const edition = { table: 'edition' };
    await service.command('pg_set_apollo_federation_config', { ...edition, apollo_federation_config: null });
    expect(JSON.stringify(await tables())).toContain('apollo_federation_config":{"enable":"v1"}}');
    expect(await sdlOf()).toContain('type edition {');
    await service.command('set_apollo_federation_config', { ...edition, ...enable });
    expect(await sdlOf()).toContain('type edition @key(fields: "book number") {');
  });

  test.each([
    [
      { table: 'edition', apollo_federation_config: { enable: 'v2' } },
      'parse-failed',
      '$.args.apollo_federation_config.enable',
    ],
    [{ table: 'none', ...enable }, 'not-exists', '$.args.table'],
  ])('rejects %j with %s', async (args, code, path) => {
    const { body } = await service.post('/v1/metadata', { type: 'pg_set_apollo_federation_config', args });
    expect(body).toMatchObject({ code, path });
  });
});

test('a schema without the setting has no fields of federation', async () => {
  const off = await startService({}, { sql });
  try {
    await off.command('pg_track_table', { table: 'author', ...enable });
    expect(await off.graphql('{ _service { sdl } }')).toMatchObject({
      errors: [{ message: "field '_service' not found in type: 'query_root'" }],
    });
  } finally {
    await off.stop();
  }
});
