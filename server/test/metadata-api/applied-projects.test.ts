/** Metadata of whole projects: what is accepted with a warning that a command for one object rejects. */
import { describe, expect, test } from 'vitest';
import { relationKey } from '../../src/postgres/catalog/catalog-types.ts';
import { serviceScene } from '../support/service/service-scene.ts';

const tables = `
  create table author (id uuid primary key, name text);
  create table article (id int primary key, author_ids uuid[], owner bigint);
`;

const scene = serviceScene(tables);

const author = { table: 'author' };
const project = (article: object, ...others: object[]) => ({
  version: 3,
  sources: [{ name: 'default', tables: [author, { table: 'article', ...article }] }, ...others],
});

function toAuthor(column: string): object {
  return {
    name: 'writer',
    using: {
      manual_configuration: { remote_table: { name: 'author', schema: 'public' }, column_mapping: { [column]: 'id' } },
    },
  };
}

async function version(): Promise<number> {
  const exported = (await scene.node.run('export_metadata', {}, { version: 2 })) as {
    readonly resource_version: number;
  };
  return exported.resource_version;
}

describe('an object that cannot be used', () => {
  const preset = { check: {}, columns: ['id'], set: { owner: 'x-service-' } };
  const unknownColumn = { columns: ['id', 'gone'], filter: {} };

  test.each([
    [
      'a relationship from a list of keys',
      { object_relationships: [toAuthor('author_ids')] },
      'pg_create_object_relationship',
      { table: 'article', ...toAuthor('author_ids') },
      'object_relation writer in table article in source default',
    ],
    [
      'a relationship between types that cannot be compared',
      { object_relationships: [toAuthor('owner')] },
      'pg_create_object_relationship',
      { table: 'article', ...toAuthor('owner') },
      'object_relation writer in table article in source default',
    ],
    [
      'a preset of a session variable without a name',
      { insert_permissions: [{ role: 'user', permission: preset }] },
      'pg_create_insert_permission',
      { table: 'article', role: 'user', permission: preset },
      'insert_permission user in table article in source default',
    ],
    [
      'a permission for a column that does not exist',
      { select_permissions: [{ role: 'user', permission: unknownColumn }] },
      'pg_create_select_permission',
      { table: 'article', role: 'user', permission: unknownColumn },
      'select_permission user in table article in source default',
    ],
  ])('is an inconsistency of a project and an error of its own command: %s', async (...row) => {
    const [, entry, command, args, name] = row;
    const metadata = project(entry);
    expect(await scene.node.run('replace_metadata', { metadata, allow_inconsistent_metadata: true })).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [{ name }],
    });
    expect(await scene.node.run('export_metadata')).toMatchObject({ sources: [{ tables: [entry, {}] }] });

    await scene.node.run('replace_metadata', project({}));
    const before = await version();
    expect(await scene.node.rejection(command, args)).toMatchObject({ status: 400, internal: [{ name }] });
    expect(await version()).toBe(before);
  });

  test('includes the tables of a source whose database does not respond, while other sources serve requests', async () => {
    const connection_info = { database_url: 'postgres://absent@127.0.0.1:1/none' };
    const away = { name: 'away', configuration: { connection_info }, tables: [{ table: 'one' }, { table: 'two' }] };
    const metadata = project({}, away);
    expect(await scene.node.run('replace_metadata', { metadata, allow_inconsistent_metadata: true })).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [
        { name: 'source away' },
        { name: 'table one in source away' },
        { name: 'table two in source away' },
      ],
    });
    const [first] = [...scene.node.model().sources.values()];
    expect(first?.tables.has(relationKey('public', 'article'))).toBe(true);
  });
});

describe('an operation of a query collection that does not fit the schema', () => {
  const query = { name: 'q', query: '{ nothing }' };
  const metadata = { ...project({}), query_collections: [{ name: 'c', definition: { queries: [query] } }] };
  const listed = { type: 'query_collections', name: 'query_collections q in c' };

  test.each([
    ['without options', metadata],
    ['that must be consistent', { metadata, allow_inconsistent_metadata: false }],
    ['that may be inconsistent', { metadata, allow_inconsistent_metadata: true }],
  ])('is kept and is a warning in metadata %s', async (_form, args) => {
    expect(await scene.node.run('replace_metadata', args)).toMatchObject({ warnings: [listed] });
    expect(await scene.node.run('get_inconsistent_metadata')).toMatchObject({ inconsistent_objects: [listed] });
    expect(await scene.node.run('export_metadata')).toMatchObject({ query_collections: metadata.query_collections });
  });

  test('is rejected if warnings are not allowed', async () => {
    const rejection = await scene.node.rejection('replace_metadata', { metadata, allow_warnings: false });
    expect(rejection).toMatchObject({ code: 'metadata-warnings', internal: [listed] });
  });
});

describe('a member that Hasura v2 ignores', () => {
  const permission = { check: {}, columns: '*', filter: { id: 1 } };
  const metadata = project({ insert_permissions: [{ role: 'user', permission }] });
  const place = 'sources[0].tables[1].insert_permissions[0].permission.filter';
  const warning = {
    type: 'unsupported',
    code: 'not-supported',
    name: 'filter of insert permission "user", table "article", source "default"',
    path: `$.${place}`,
  };

  test('is removed from the metadata of a project with a warning', async () => {
    const result = await scene.node.run('replace_metadata', { metadata });
    expect(result).toMatchObject({ is_consistent: true, warnings: [warning] });
    expect(await scene.node.run('replace_metadata', metadata)).toMatchObject({
      message: 'success',
      warnings: [warning],
    });
    expect(await scene.node.run('export_metadata')).toMatchObject({
      sources: [{ tables: [{ insert_permissions: [{ permission: { check: {}, columns: '*' } }] }, {}] }],
    });
  });

  test('is rejected if warnings are not allowed', async () => {
    const rejection = await scene.node.rejection('replace_metadata', { metadata, allow_warnings: false });
    expect(rejection).toMatchObject({ code: 'metadata-warnings', message: expect.stringContaining(place) });
  });

  test('is rejected by a command for one object', async () => {
    await scene.node.run('replace_metadata', project({}));
    const args = { table: 'article', role: 'user', permission };
    expect(await scene.node.rejection('pg_create_insert_permission', args)).toMatchObject({
      code: 'parse-failed',
      path: '$.args.permission.filter',
    });
  });
});

test('commands for the kinds of sources that are served as PostgreSQL have the prefixes of these kinds', async () => {
  for (const prefix of ['postgres', 'citus', 'cockroach']) {
    expect(await scene.node.run(`${prefix}_track_table`, { table: 'author' })).toMatchObject({ message: 'success' });
    expect(await scene.node.run(`${prefix}_untrack_table`, { table: 'author' })).toMatchObject({ message: 'success' });
  }
});

test('reload_metadata accepts the option for agents of data connectors', async () => {
  expect(await scene.node.run('reload_metadata', { reload_data_connectors: true })).toMatchObject({
    message: 'success',
  });
});

describe('applying the same metadata again', () => {
  test('compares it with the tables that the databases have now', async () => {
    const metadata = { version: 3, sources: [{ name: 'default', tables: [{ table: 'later' }] }] };
    const args = { metadata, allow_inconsistent_metadata: true };
    expect(await scene.node.run('replace_metadata', args)).toMatchObject({ is_consistent: false });
    const before = await version();
    await scene.database.database.query({ text: 'create table later (id int primary key)', values: [] });
    try {
      expect(await scene.node.run('replace_metadata', args)).toMatchObject({
        is_consistent: true,
        inconsistent_objects: [],
      });
      expect(await scene.node.run('get_inconsistent_metadata')).toMatchObject({ is_consistent: true });
      expect(await version()).toBe(before);
    } finally {
      await scene.database.database.query({ text: 'drop table later', values: [] });
    }
  });

  test.each([
    ['in the same form', project({ configuration: { custom_name: 'text', comment: 'Texts' } })],
    ['with members in another order', project({ configuration: { comment: 'Texts', custom_name: 'text' } })],
    [
      'with tables in another order',
      {
        version: 3,
        sources: [
          {
            name: 'default',
            tables: [{ table: 'article', configuration: { custom_name: 'text', comment: 'Texts' } }, author],
          },
        ],
      },
    ],
    [
      'with defaults',
      { ...project({ is_enum: false, configuration: { custom_name: 'text', comment: 'Texts' } }), actions: [] },
    ],
  ])('does not change the resource version: %s', async (_form, metadata) => {
    await scene.node.run('replace_metadata', project({ configuration: { custom_name: 'text', comment: 'Texts' } }));
    const before = await version();
    await scene.node.run('replace_metadata', metadata);
    expect(await version()).toBe(before);
  });
});
