/** The commands about the metadata as a whole. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { relationKey } from '../../src/postgres/catalog/catalog-types.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

const tables = `
  create table author (id int primary key, name text, worth numeric);
  create table article (id int primary key, title text, author_id int references author);
`;

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({ migrated: true, sql: tables });
  node = await startServiceCore(database);
});

afterAll(async () => {
  await node.stop();
  await database.drop();
});

beforeEach(() => node.run('clear_metadata'));

const toAuthor = { name: 'author', using: { foreign_key_constraint_on: 'author_id' } };
const author = { table: { name: 'author', schema: 'public' } };
const article = { table: { name: 'article', schema: 'public' }, object_relationships: [toAuthor] };
const source = (...entries: object[]) => ({ name: 'default', kind: 'postgres', tables: entries });
const nothing = { table: { name: 'nothing', schema: 'public' } };

/** Two of its objects cannot be used: a table, and what leads to an untracked one. */
const broken = { version: 3, sources: [source(article, nothing)] };

describe('replace_metadata', () => {
  test('takes the metadata as its arguments, and export_metadata gives it back', async () => {
    const metadata = { version: 3, sources: [source(article, author)] };
    expect(await node.run('replace_metadata', metadata)).toEqual({ message: 'success' });
    expect(await node.run('export_metadata')).toEqual(metadata);
    expect(await node.run('export_metadata', {}, { version: 2 })).toMatchObject({ metadata });
  });

  test('takes the older form without sources', async () => {
    const actions = [
      { name: 'place', definition: { handler: 'http://127.0.0.1:1/', output_type: 'String', arguments: [] } },
    ];
    await node.run('replace_metadata', { version: 2, tables: [{ table: 'author' }], actions });
    expect(await node.run('export_metadata')).toMatchObject({
      sources: [source(author)],
      actions: [{ name: 'place' }],
    });
    await node.run('replace_metadata', { tables: [] });
    expect(await node.run('export_metadata')).toEqual({ version: 3, sources: [source()] });
  });

  test('tells in a dry run what would be inconsistent and how the schema of each role would change, and changes nothing', async () => {
    await node.run('replace_metadata', { version: 3, sources: [source(author)] });
    const permission = { columns: ['id'], filter: {} };
    const seen = { ...author, select_permissions: [{ role: 'user', permission }] };
    const metadata = { version: 3, sources: [source(seen, nothing)] };
    const before = await node.run('export_metadata', {}, { version: 2 });
    expect(await node.run('replace_metadata', { metadata, dry_run: true })).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [{ name: 'table nothing in source default' }],
      schema_changes: [
        { role: 'user', changes: expect.arrayContaining([expect.objectContaining({ at: 'author', change: 'added' })]) },
      ],
    });
    const fewer = { version: 3, sources: [source()] };
    expect(await node.run('replace_metadata', { metadata: fewer, dry_run: true })).toMatchObject({
      is_consistent: true,
      schema_changes: [
        {
          role: 'admin',
          changes: expect.arrayContaining([
            { at: 'query_root.author', change: 'removed', from: '[author!]!', breaking: true },
          ]),
        },
      ],
    });
    expect(await node.run('export_metadata', {}, { version: 2 })).toEqual(before);
  });

  test('refuses what is inconsistent, unless it is told to take it', async () => {
    const refusal = await node.rejection('replace_metadata', { metadata: broken });
    expect(refusal).toMatchObject({ code: 'invalid-configuration', status: 400 });
    expect(refusal.internal).toHaveLength(2);
    expect(await node.run('export_metadata')).toEqual({ version: 3, sources: [source()] });

    const answer = await node.run('replace_metadata', { metadata: broken, allow_inconsistent_metadata: true });
    expect(answer).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [
        { type: 'table', name: 'table nothing in source default', path: '$.sources[0].tables[1]' },
        { type: 'object_relation', definition: toAuthorDefinition() },
      ],
    });
    expect(await node.run('export_metadata')).toEqual(broken);
  });

  test('refuses members that nobody knows, whatever inconsistency is allowed', async () => {
    const misspelt = { version: 3, sources: [source(author)], cron_trigers: [] };
    const refusals = [
      [misspelt, '$.args.cron_trigers'],
      [{ metadata: misspelt, allow_inconsistent_metadata: true }, '$.args.metadata.cron_trigers'],
    ] as const;
    for (const [args, path] of refusals) {
      const refusal = await node.rejection('replace_metadata', args);
      expect(refusal).toMatchObject({ code: 'parse-failed', status: 400, path });
      expect(refusal.message).toMatch(/did you mean "cron_triggers"/);
    }
    expect(await node.run('export_metadata')).toEqual({ version: 3, sources: [source()] });
  });

  function toAuthorDefinition(): object {
    return { name: 'author', source: 'default', table: { schema: 'public', name: 'article' } };
  }
});

describe('what is inconsistent', () => {
  beforeEach(() => node.run('replace_metadata', { metadata: broken, allow_inconsistent_metadata: true }));

  test('leaves its neighbours at work', () => {
    const [found] = [...node.model().sources.values()];
    expect([...(found?.tables.keys() ?? [])]).toEqual([relationKey('public', 'article')]);
  });

  test('is listed', async () => {
    expect(await node.run('get_inconsistent_metadata')).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [
        { type: 'table', reason: expect.stringMatching(/^Inconsistent object: /) },
        { type: 'object_relation' },
      ],
    });
    expect(await node.run('reload_metadata')).toMatchObject({
      message: 'success',
      is_consistent: false,
      inconsistent_objects: [{ type: 'table' }, { type: 'object_relation' }],
    });
  });

  test('holds up no other change', async () => {
    await node.run('pg_set_table_customization', { table: 'article', configuration: { custom_name: 'text' } });
    expect(node.model().inconsistencies).toHaveLength(2);
  });

  test('is mended by what it lacked', async () => {
    await node.run('track_table', 'author');
    expect(node.model().inconsistencies).toHaveLength(1);
  });

  test('can be dropped', async () => {
    expect(await node.run('drop_inconsistent_metadata')).toEqual({ message: 'success' });
    expect(await node.run('get_inconsistent_metadata')).toEqual({ is_consistent: true, inconsistent_objects: [] });
    expect(await node.run('export_metadata')).toEqual({
      version: 3,
      sources: [source({ table: { name: 'article', schema: 'public' } })],
    });
  });

  test('is refused again when it is written again', async () => {
    const custom = { table: 'article', role: 'user', permission: { columns: ['nothing'] } };
    expect(await node.rejection('create_select_permission', custom)).toMatchObject({ code: 'invalid-configuration' });
  });
});

test('clear_metadata keeps the settings of the default source', async () => {
  const configuration = { connection_info: { database_url: { from_env: 'SOME' } } };
  await node.run('replace_metadata', { version: 3, sources: [{ ...source(author), configuration }], network: {} });
  expect(await node.run('clear_metadata')).toEqual({ message: 'success' });
  expect(await node.run('export_metadata')).toEqual({ version: 3, sources: [{ ...source(), configuration }] });
  await node.run('replace_metadata', { version: 3, sources: [source()] });
});

test('reload_metadata sees what was done to the database behind the back of the service', async () => {
  await node.run('track_table', 'author');
  await database.database.query({ text: 'alter table author add born date', values: [] });
  expect(await node.run('reload_metadata', { reload_remote_schemas: false })).toEqual({
    message: 'success',
    is_consistent: true,
  });
  const [found] = [...node.model().sources.values()];
  expect(found?.tables.get(relationKey('public', 'author'))?.columns.has('born')).toBe(true);
});

test('an edit that changes nothing leaves the version as it is', async () => {
  await node.run('track_table', 'author');
  const before = await node.run('export_metadata', {}, { version: 2 });
  await node.run('set_table_customization', { table: 'author', configuration: {} });
  expect(await node.run('export_metadata', {}, { version: 2 })).toEqual(before);
});

test('what is written is exported in the form it was written in, numbers of any length included', async () => {
  await node.run('track_table', 'author');
  const { parseJson, printJson } = await import('../../src/base/json-value.ts');
  const body = `{"type": "create_select_permission", "args": {"table": "author", "role": "user",
    "permission": {"columns": "*", "filter": {"worth": {"_lt": 12345678901234567890.5}}}}}`;
  const { args } = parseJson(body) as { args: unknown };
  await node.run('create_select_permission', args);
  const again = await startServiceCore(database);
  expect(printJson(await again.run('export_metadata'))).toContain('{"_lt":12345678901234567890.5}');
  await again.stop();
});
