/** Metadata commands on a database: their effect on the model, and the errors of invalid input. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { relationKey } from '../../src/postgres/catalog/catalog-types.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

const tables = `
  create table author (id int primary key, name text, address_id int);
  create table article (id int primary key, title text, author_id int references author, published_on date);
  create view author_view as select id, upper(name) as name from author;
  create schema shop;
  create table shop.item (id int primary key, price numeric);
`;

let database: TestDatabase;
let remote: GraphQLServer;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({ migrated: true, sql: tables });
  remote = await startGraphQLServer('type Query { parcel(id: Int!): Parcel } type Parcel { id: Int! status: String }');
  node = await startServiceCore(database, { environment: { CARRIER: remote.url } });
});

afterAll(async () => {
  await node.stop();
  await remote.close();
  await database.drop();
});

beforeEach(() => node.run('clear_metadata'));

function table(name: string, schema = 'public') {
  return [...node.model().sources.values()][0]?.tables.get(relationKey(schema, name));
}

async function track(...names: string[]): Promise<void> {
  for (const name of names) await node.run('track_table', name);
}

const byColumn = (column: string) => ({ foreign_key_constraint_on: column });
const toAuthor = { table: 'article', name: 'author', using: byColumn('author_id') };
const articles = {
  table: 'author',
  name: 'articles',
  using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
};
const addCarrier = { name: 'carrier', definition: { url_from_env: 'CARRIER' } };
const parcel = {
  name: 'parcel',
  table: 'article',
  hasura_fields: ['id'],
  remote_schema: 'carrier',
  remote_field: { parcel: { arguments: { id: '$id' } } },
};

describe('a command', () => {
  test('has changed the model when its response arrives', async () => {
    expect(await node.run('track_table', 'author')).toEqual({ message: 'success' });
    expect(table('author')?.columnsByName.size).toBe(3);
    expect(await node.run('untrack_table', { table: 'author' })).toEqual({ message: 'success' });
    expect(table('author')).toBeUndefined();
  });

  test('detects tables that were created after the start', async () => {
    await database.database.query({ text: 'create table late (id int primary key)', values: [] });
    await node.run('pg_track_table', { table: 'late' }, { api: 'metadata' });
    expect(table('late')).toBeDefined();
  });

  test('detects a foreign key that was added by a direct statement', async () => {
    await track('author', 'article');
    const text = 'alter table author add foreign key (address_id) references article';
    await database.database.query({ text, values: [] });
    await node.run('create_object_relationship', { table: 'author', name: 'address', using: byColumn('address_id') });
    expect(table('author')?.relationships.get('address')?.target).toBe(table('article'));
  });

  test('does not change the model of a running request', async () => {
    await track('author');
    const before = node.model();
    await node.run('untrack_table', { table: 'author' });
    expect([...before.sources.values()][0]?.tables.size).toBe(1);
    expect(node.model()).not.toBe(before);
  });

  test('succeeds after a previous command that failed', async () => {
    const [failed, done] = await Promise.allSettled([
      node.run('track_table', 'nothing'),
      node.run('track_table', 'author'),
    ]);
    expect([failed.status, done.status]).toEqual(['rejected', 'fulfilled']);
  });
});

describe('an invalid command', () => {
  const definition = { handler: 'http://127.0.0.1:1/', output_type: 'Result' };
  const type = { name: 'Result', fields: [{ name: 'id', type: 'Int' }] };
  const related = (overrides: object) => ({
    objects: [
      {
        ...type,
        relationships: [
          { name: 'author', type: 'object', remote_table: 'author', field_mapping: { id: 'id' }, ...overrides },
        ],
      },
    ],
  });

  test.each([
    ['an unknown command', 'track_tabel', {}, 'parse-failed', '$.type'],
    ['a missing argument', 'track_table', { schema: 'public' }, 'parse-failed', '$.args.name'],
    ['an extra argument', 'drop_action', { name: 'a', force: true }, 'parse-failed', '$.args.force'],
    ['arguments of the wrong type', 'create_action', 'place', 'parse-failed', '$.args'],
    ['a table that does not exist', 'track_table', 'nothing', 'invalid-configuration', '$.args'],
    ['a source that does not exist', 'track_table', { table: 'a', source: 'b' }, 'not-exists', '$.args.source'],
    ['a table that is tracked', 'track_table', 'author', 'already-tracked', '$.args'],
    ['a table that is not tracked', 'untrack_table', { table: 'author_view' }, 'already-untracked', '$.args'],
    [
      'a relationship of a table that is not tracked',
      'create_object_relationship',
      { ...toAuthor, table: 'author_view' },
      'not-exists',
      '$.args.table',
    ],
    [
      'a relationship to a table that is not tracked',
      'create_array_relationship',
      {
        table: 'author',
        name: 'views',
        using: { manual_configuration: { remote_table: 'author_view', column_mapping: { id: 'id' } } },
      },
      'invalid-configuration',
      '$.args',
    ],
    [
      'a relationship on a column without a foreign key',
      'create_object_relationship',
      { ...toAuthor, name: 'x', using: byColumn('published_on') },
      'invalid-configuration',
      '$.args',
    ],
    [
      'a relationship name that another relationship has',
      'create_object_relationship',
      toAuthor,
      'already-exists',
      '$.args.name',
    ],
    [
      'a relationship name that a column has',
      'create_object_relationship',
      { ...toAuthor, name: 'title' },
      'already-exists',
      '$.args',
    ],
    [
      'a permission on a column that does not exist',
      'create_select_permission',
      { table: 'author', role: 'user', permission: { columns: ['nothing'], filter: {} } },
      'invalid-configuration',
      '$.args.permission.columns[0]',
    ],
    [
      'a row rule on a column that does not exist',
      'create_select_permission',
      { table: 'author', role: 'user', permission: { columns: '*', filter: { nothing: { _eq: 1 } } } },
      'invalid-configuration',
      '$.args.permission.filter.nothing',
    ],
    [
      'a mapping to a column that does not exist',
      'set_custom_types',
      related({ field_mapping: { id: 'nothing' } }),
      'invalid-configuration',
      '$.args.objects[0].relationships[0]',
    ],
    [
      'a mapping from a field that does not exist',
      'set_custom_types',
      related({ field_mapping: { nothing: 'id' } }),
      'invalid-configuration',
      '$.args.objects[0].relationships[0]',
    ],
    [
      'a mapping between types that cannot be compared',
      'set_custom_types',
      related({ field_mapping: { id: 'name' } }),
      'invalid-configuration',
      '$.args.objects[0].relationships[0]',
    ],
    [
      'a type relationship to an untracked table',
      'set_custom_types',
      related({ remote_table: 'item' }),
      'invalid-configuration',
      '$.args.objects[0].relationships[0]',
    ],
    ['an action of an unknown type', 'create_action', { name: 'place', definition }, 'invalid-configuration', '$.args'],
    [
      'an action whose environment variable is not set',
      'create_action',
      { name: 'place', definition: { ...definition, output_type: 'String', handler: '{{NOT_SET}}/place' } },
      'invalid-configuration',
      '$.args',
    ],
    [
      'a permission on an unknown action',
      'create_action_permission',
      { action: 'a', role: 'b' },
      'not-exists',
      '$.args.action',
    ],
    [
      'a remote schema that is unreachable',
      'add_remote_schema',
      { name: 'a', definition: { url: 'http://127.0.0.1:1/' } },
      'remote-schema-error',
      '$.args',
    ],
    [
      'a remote schema whose environment variable is not set',
      'add_remote_schema',
      { name: 'a', definition: { url_from_env: 'NOT_SET' } },
      'invalid-params',
      '$.args',
    ],
    [
      'a remote relationship to an unknown remote schema',
      'create_remote_relationship',
      parcel,
      'invalid-configuration',
      '$.args',
    ],
    [
      'metadata with a missing member',
      'replace_metadata',
      { version: 3, sources: [{}] },
      'parse-failed',
      '$.args.sources[0].name',
    ],
    [
      'nested metadata with an unknown version',
      'replace_metadata',
      { metadata: { version: 5 } },
      'parse-failed',
      '$.args.metadata.version',
    ],
    [
      'inconsistent metadata',
      'replace_metadata',
      { version: 3, sources: [{ name: 'default', tables: [{ table: 'nothing' }] }] },
      'invalid-configuration',
      '$.args',
    ],
    ['an unknown version of the command', 'export_metadata', {}, 'parse-failed', '$.version'],
    [
      'a reload of a remote schema that does not exist',
      'reload_metadata',
      { reload_remote_schemas: ['a'] },
      'not-exists',
      '$.args.reload_remote_schemas[0]',
    ],
  ])('is rejected with a code and a path and changes nothing: %s', async (reason, command, args, code, path) => {
    await track('author', 'article');
    await node.run('create_object_relationship', toAuthor);
    const before = await node.run('export_metadata', {}, { version: 2 });
    const model = node.model();
    const options = reason === 'an unknown version of the command' ? { version: 7 } : {};
    expect(await node.rejection(command, args, options)).toMatchObject({ code, path });
    expect(await node.run('export_metadata', {}, { version: 2 })).toEqual(before);
    expect(node.model()).toBe(model);
  });

  test('is rejected with a suggestion if its name is similar to a command', async () => {
    expect((await node.rejection('track_tabel')).message).toContain('did you mean "track_table"?');
  });

  test('is rejected with the inconsistent object in the format of Hasura v2', async () => {
    await track('author', 'article');
    const rejection = await node.rejection('create_object_relationship', {
      ...toAuthor,
      using: byColumn('published_on'),
    });
    expect(rejection).toMatchObject({
      status: 400,
      internal: [
        {
          type: 'object_relation',
          name: 'object_relation author in table article in source default',
          definition: {
            name: 'author',
            using: byColumn(['published_on'] as unknown as string),
            source: 'default',
            table: { schema: 'public', name: 'article' },
          },
        },
      ],
    });
    expect(rejection.message).toMatch(/^Inconsistent object: in table "article": in relationship "author": /);
  });

  test('is rejected with status 400 for roles other than admin, as in Hasura v2', async () => {
    const rejection = await node.rejection('track_table', 'author', { role: 'user' });
    expect(rejection).toMatchObject({ code: 'access-denied', status: 400, path: '$.args' });
    expect(await node.rejection('create_scheduled_event', {}, { role: 'user' })).toMatchObject({
      code: 'access-denied',
    });
  });

  test.each([[null], [[]], ['track_table'], [{}], [{ type: 5 }]])(
    'is rejected with parse-failed if the body is %j',
    async (body) => {
      const session = { role: 'admin', variables: new Map() } as unknown as Parameters<typeof node.service.command>[1];
      await expect(node.service.command(body, session, 'v1')).rejects.toMatchObject({ code: 'parse-failed' });
    },
  );

  test.each([
    ['run_sql', 'metadata', '/v1/query or /v2/query'],
    ['track_table', 'query', '/v1/query or /v1/metadata'],
  ] as const)(
    'is rejected at the wrong endpoint with the names of the right ones: %s',
    async (type, api, endpoints) => {
      const rejection = await node.rejection(type, { sql: 'select 1', name: 'author' }, { api });
      expect(rejection).toMatchObject({ code: 'parse-failed', path: '$.type' });
      expect(rejection.message).toContain(endpoints);
    },
  );
});

describe('an object that other objects depend on', () => {
  beforeEach(async () => {
    await track('author', 'article');
    await node.run('create_object_relationship', toAuthor);
    await node.run('create_array_relationship', articles);
  });

  test('is not dropped, and the error names the dependent objects', async () => {
    const rejection = await node.rejection('untrack_table', { table: 'author' });
    expect(rejection).toMatchObject({ code: 'dependency-error', path: '$.args', status: 400 });
    expect(rejection.message).toBe(
      'cannot drop due to the following dependent objects: relationship article.author in source "default"',
    );
  });

  test('is dropped with its dependent objects by cascade', async () => {
    const permission = { columns: '*', filter: { author: { name: { _eq: 'A' } } } };
    await node.run('create_select_permission', { table: 'article', role: 'user', permission });
    expect(await node.rejection('drop_relationship', { table: 'article', relationship: 'author' })).toMatchObject({
      code: 'dependency-error',
    });
    await node.run('untrack_table', { table: 'author', cascade: true });
    expect(table('article')?.relationships.size).toBe(0);
    expect(table('article')?.selectAccess.size).toBe(0);
    expect(await node.run('get_inconsistent_metadata')).toEqual({ is_consistent: true, inconsistent_objects: [] });
  });

  test('may be a remote schema with remote relationships', async () => {
    await node.run('add_remote_schema', addCarrier);
    await node.run('create_remote_relationship', parcel);
    expect(table('article')?.joins.size).toBe(1);
    const rejection = await node.rejection('remove_remote_schema', { name: 'carrier' });
    expect(rejection).toMatchObject({ code: 'dependency-error' });
    expect(rejection.message).toContain('remote relationship article.parcel');
    await node.run('remove_remote_schema', { name: 'carrier', cascade: true });
    expect(table('article')?.joins.size).toBe(0);
  });

  test('may be a relationship, whose new name is written to row rules', async () => {
    const permission = { columns: '*', filter: { author: { name: { _eq: 'A' } } } };
    await node.run('create_select_permission', { table: 'article', role: 'user', permission });
    await node.run('rename_relationship', { table: 'article', name: 'author', new_name: 'writer' });
    expect(table('article')?.relationships.has('writer')).toBe(true);
    expect(table('article')?.selectAccess.size).toBe(1);
  });
});

describe('pg_track_tables', () => {
  const some = { tables: [{ table: 'author' }, { table: 'nothing' }, { table: { schema: 'shop', name: 'item' } }] };

  test('tracks the existing tables and returns warnings for the others', async () => {
    const missing = 'Inconsistent object: no such table/view exists in source: "nothing"';
    expect(await node.run('pg_track_tables', some, { api: 'metadata' })).toEqual({
      message: 'success',
      warnings: [{ code: 'invalid-configuration', path: '$.args.tables[1]', message: missing }],
    });
    expect([table('author'), table('item', 'shop')].map((one) => one?.name)).toEqual(['author', 'item']);
  });

  test('tracks none of the tables if warnings are not allowed and one is missing', async () => {
    expect(await node.rejection('pg_track_tables', { ...some, allow_warnings: false })).toMatchObject({
      code: 'invalid-configuration',
    });
    expect(table('author')).toBeUndefined();
  });
});
