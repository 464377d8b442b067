/** Metadata commands against a real database: what they do to the model, and what bad input gets. */
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
  test('changes the model when its answer is there', async () => {
    expect(await node.run('track_table', 'author')).toEqual({ message: 'success' });
    expect(table('author')?.columnsByName.size).toBe(3);
    expect(await node.run('untrack_table', { table: 'author' })).toEqual({ message: 'success' });
    expect(table('author')).toBeUndefined();
  });

  test('sees tables that were created after the start', async () => {
    await database.database.query({ text: 'create table late (id int primary key)', values: [] });
    await node.run('pg_track_table', { table: 'late' }, { api: 'metadata' });
    expect(table('late')).toBeDefined();
  });

  test('sees a foreign key that was added behind its back', async () => {
    await track('author', 'article');
    const text = 'alter table author add foreign key (address_id) references article';
    await database.database.query({ text, values: [] });
    await node.run('create_object_relationship', { table: 'author', name: 'address', using: byColumn('address_id') });
    expect(table('author')?.relationships.get('address')?.target).toBe(table('article'));
  });

  test('leaves a request under way with the model it began with', async () => {
    await track('author');
    const before = node.model();
    await node.run('untrack_table', { table: 'author' });
    expect([...before.sources.values()][0]?.tables.size).toBe(1);
    expect(node.model()).not.toBe(before);
  });

  test('does not wait for one before it that failed', async () => {
    const [failed, done] = await Promise.allSettled([
      node.run('track_table', 'nothing'),
      node.run('track_table', 'author'),
    ]);
    expect([failed.status, done.status]).toEqual(['rejected', 'fulfilled']);
  });
});

describe('every bad input has a code and a path, and changes nothing:', () => {
  const definition = { handler: 'http://127.0.0.1:1/', output_type: 'Result' };
  const type = { name: 'Result', fields: [{ name: 'id', type: 'Int' }] };
  const related = (more: object) => ({
    objects: [
      {
        ...type,
        relationships: [
          { name: 'author', type: 'object', remote_table: 'author', field_mapping: { id: 'id' }, ...more },
        ],
      },
    ],
  });

  test.each([
    ['an unknown command', 'track_tabel', {}, 'parse-failed', '$.type'],
    ['a missing argument', 'track_table', { schema: 'public' }, 'parse-failed', '$.args.name'],
    ['an extra argument', 'drop_action', { name: 'a', force: true }, 'parse-failed', '$.args.force'],
    ['arguments of another kind', 'create_action', 'place', 'parse-failed', '$.args'],
    ['a table that is not there', 'track_table', 'nothing', 'not-exists', '$.args'],
    ['a source that is not there', 'track_table', { table: 'a', source: 'b' }, 'not-exists', '$.args.source'],
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
      'a relationship over no foreign key',
      'create_object_relationship',
      { ...toAuthor, name: 'x', using: byColumn('published_on') },
      'invalid-configuration',
      '$.args',
    ],
    ['a relationship name that is taken', 'create_object_relationship', toAuthor, 'already-exists', '$.args.name'],
    [
      'a relationship name that a column has',
      'create_object_relationship',
      { ...toAuthor, name: 'title' },
      'already-exists',
      '$.args',
    ],
    [
      'a permission on a column that is not there',
      'create_select_permission',
      { table: 'author', role: 'user', permission: { columns: ['nothing'] } },
      'invalid-configuration',
      '$.args.permission.columns[0]',
    ],
    [
      'a permission with a rule on a column that is not there',
      'create_select_permission',
      { table: 'author', role: 'user', permission: { columns: '*', filter: { nothing: { _eq: 1 } } } },
      'invalid-configuration',
      '$.args.permission.filter.nothing',
    ],
    [
      'a mapping to a column that is not there',
      'set_custom_types',
      related({ field_mapping: { id: 'nothing' } }),
      'invalid-configuration',
      '$.args.objects[0].relationships[0]',
    ],
    [
      'a mapping from a field that is not there',
      'set_custom_types',
      related({ field_mapping: { nothing: 'id' } }),
      'invalid-configuration',
      '$.args.objects[0].relationships[0]',
    ],
    [
      'a mapping of types that cannot compare',
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
      'a remote schema nobody serves',
      'add_remote_schema',
      { name: 'a', definition: { url: 'http://127.0.0.1:1/' } },
      'remote-schema-error',
      '$.args',
    ],
    [
      'a remote schema of a variable that is not set',
      'add_remote_schema',
      { name: 'a', definition: { url_from_env: 'NOT_SET' } },
      'invalid-configuration',
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
      'metadata that is none',
      'replace_metadata',
      { version: 3, sources: [{}] },
      'parse-failed',
      '$.args.sources[0].name',
    ],
    [
      'metadata within arguments that is none',
      'replace_metadata',
      { metadata: { version: 5 } },
      'parse-failed',
      '$.args.metadata.version',
    ],
    [
      'inconsistent metadata',
      'replace_metadata',
      { version: 3, sources: [{ name: 'default', tables: [{ table: 'nothing' }] }] },
      'not-exists',
      '$.args',
    ],
    ['a version there is none of', 'export_metadata', {}, 'parse-failed', '$.version'],
    [
      'reloading what is not there',
      'reload_metadata',
      { reload_remote_schemas: ['a'] },
      'not-exists',
      '$.args.reload_remote_schemas[0]',
    ],
  ])('%s', async (what, command, args, code, path) => {
    await track('author', 'article');
    await node.run('create_object_relationship', toAuthor);
    const before = await node.run('export_metadata', {}, { version: 2 });
    const model = node.model();
    const more = what === 'a version there is none of' ? { version: 7 } : {};
    expect(await node.rejection(command, args, more)).toMatchObject({ code, path });
    expect(await node.run('export_metadata', {}, { version: 2 })).toEqual(before);
    expect(node.model()).toBe(model);
  });

  test('an unknown command is told which one was probably meant', async () => {
    expect((await node.rejection('track_tabel')).message).toContain('did you mean "track_table"?');
  });

  test('an inconsistent object is listed as the reference lists it', async () => {
    await track('author', 'article');
    const refusal = await node.rejection('create_object_relationship', {
      ...toAuthor,
      using: byColumn('published_on'),
    });
    expect(refusal).toMatchObject({
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
    expect(refusal.message).toMatch(/^Inconsistent object: in table "article": in relationship "author": /);
  });

  test('anyone but the admin is refused with 400, as the reference does', async () => {
    const refusal = await node.rejection('track_table', 'author', { role: 'user' });
    expect(refusal).toMatchObject({ code: 'access-denied', status: 400, path: '$.args' });
    expect(await node.rejection('create_scheduled_event', {}, { role: 'user' })).toMatchObject({
      code: 'access-denied',
    });
  });

  test.each([[null], [[]], ['track_table'], [{}], [{ type: 5 }]])('a body that is no command: %j', async (body) => {
    const session = { role: 'admin', variables: new Map() } as unknown as Parameters<typeof node.service.command>[1];
    await expect(node.service.command(body, session, 'v1')).rejects.toMatchObject({ code: 'parse-failed' });
  });

  test.each([
    ['run_sql', 'metadata', '/v1/query or /v2/query'],
    ['track_table', 'query', '/v1/query or /v1/metadata'],
  ] as const)('%s at the wrong endpoint is told the right one', async (type, api, right) => {
    const refusal = await node.rejection(type, { sql: 'select 1', name: 'author' }, { api });
    expect(refusal).toMatchObject({ code: 'parse-failed', path: '$.type' });
    expect(refusal.message).toContain(right);
  });
});

describe('what others depend on', () => {
  beforeEach(async () => {
    await track('author', 'article');
    await node.run('create_object_relationship', toAuthor);
    await node.run('create_array_relationship', articles);
  });

  test('is kept, with the dependents named', async () => {
    const refusal = await node.rejection('untrack_table', { table: 'author' });
    expect(refusal).toMatchObject({ code: 'dependency-error', path: '$.args', status: 400 });
    expect(refusal.message).toBe(
      'cannot drop due to the following dependent objects: relationship article.author in source "default"',
    );
  });

  test('goes with its dependents when cascade says so', async () => {
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

  test('a remote schema with remote relationships', async () => {
    await node.run('add_remote_schema', addCarrier);
    await node.run('create_remote_relationship', parcel);
    expect(table('article')?.joins.size).toBe(1);
    const refusal = await node.rejection('remove_remote_schema', { name: 'carrier' });
    expect(refusal).toMatchObject({ code: 'dependency-error' });
    expect(refusal.message).toContain('remote relationship article.parcel');
    await node.run('remove_remote_schema', { name: 'carrier', cascade: true });
    expect(table('article')?.joins.size).toBe(0);
  });

  test('a renamed relationship takes the row rules along', async () => {
    const permission = { columns: '*', filter: { author: { name: { _eq: 'A' } } } };
    await node.run('create_select_permission', { table: 'article', role: 'user', permission });
    await node.run('rename_relationship', { table: 'article', name: 'author', new_name: 'writer' });
    expect(table('article')?.relationships.has('writer')).toBe(true);
    expect(table('article')?.selectAccess.size).toBe(1);
  });
});

describe('many tables at once', () => {
  const some = { tables: [{ table: 'author' }, { table: 'nothing' }, { table: { schema: 'shop', name: 'item' } }] };

  test('those that can be tracked are, the others are warnings', async () => {
    expect(await node.run('pg_track_tables', some, { api: 'metadata' })).toEqual({
      message: 'success',
      warnings: [{ code: 'not-exists', path: '$.args.tables[1]', message: expect.stringContaining('nothing') }],
    });
    expect([table('author'), table('item', 'shop')].map((one) => one?.name)).toEqual(['author', 'item']);
  });

  test('all or none without warnings', async () => {
    expect(await node.rejection('pg_track_tables', { ...some, allow_warnings: false })).toMatchObject({
      code: 'not-exists',
    });
    expect(table('author')).toBeUndefined();
  });
});
