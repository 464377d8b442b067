/** Commands on the whole metadata: replace, export, reload, clear, and inconsistent objects. */
import { beforeEach, describe, expect, test } from 'vitest';
import { relationKey } from '../../src/postgres/catalog/catalog-types.ts';
import { startServiceCore } from '../support/service/service-core.ts';
import { serviceScene } from '../support/service/service-scene.ts';

const tables = `
  create table author (id int primary key, name text, worth numeric);
  create table article (id int primary key, title text, author_id int references author);
`;

const scene = serviceScene(tables);

const toAuthor = { name: 'author', using: { foreign_key_constraint_on: 'author_id' } };
const author = { table: { name: 'author', schema: 'public' } };
const article = { table: { name: 'article', schema: 'public' }, object_relationships: [toAuthor] };
const source = (...entries: object[]) => ({ name: 'default', kind: 'postgres', tables: entries });
const nothing = { table: { name: 'nothing', schema: 'public' } };

/** Metadata with two inconsistent objects: a missing table, and a relationship to an untracked one. */
const broken = { version: 3, sources: [source(article, nothing)] };

describe('replace_metadata', () => {
  test('stores the metadata in its arguments, which export_metadata returns', async () => {
    const metadata = { version: 3, sources: [source(article, author)] };
    expect(await scene.node.run('replace_metadata', metadata)).toEqual({ message: 'success' });
    expect(await scene.node.run('export_metadata')).toEqual(metadata);
    expect(await scene.node.run('export_metadata', {}, { version: 2 })).toMatchObject({ metadata });
  });

  test('accepts the older format without sources', async () => {
    const actions = [
      { name: 'place', definition: { handler: 'http://127.0.0.1:1/', output_type: 'String', arguments: [] } },
    ];
    await scene.node.run('replace_metadata', { version: 2, tables: [{ table: 'author' }], actions });
    expect(await scene.node.run('export_metadata')).toMatchObject({
      sources: [source(author)],
      actions: [{ name: 'place' }],
    });
    await scene.node.run('replace_metadata', { tables: [] });
    expect(await scene.node.run('export_metadata')).toEqual({ version: 3, sources: [source()] });
  });

  test('returns inconsistencies and schema changes of each role in a dry run, and changes nothing', async () => {
    await scene.node.run('replace_metadata', { version: 3, sources: [source(author)] });
    const permission = { columns: ['id'], filter: {} };
    const readable = { ...author, select_permissions: [{ role: 'user', permission }] };
    const metadata = { version: 3, sources: [source(readable, nothing)] };
    const before = await scene.node.run('export_metadata', {}, { version: 2 });
    expect(await scene.node.run('replace_metadata', { metadata, dry_run: true })).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [{ name: 'table nothing in source default' }],
      schema_changes: [
        { role: 'user', changes: expect.arrayContaining([expect.objectContaining({ at: 'author', change: 'added' })]) },
      ],
    });
    const fewer = { version: 3, sources: [source()] };
    expect(await scene.node.run('replace_metadata', { metadata: fewer, dry_run: true })).toMatchObject({
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
    expect(await scene.node.run('export_metadata', {}, { version: 2 })).toEqual(before);
  });

  test('rejects inconsistent metadata unless it is allowed', async () => {
    const rejection = await scene.node.rejection('replace_metadata', { metadata: broken });
    expect(rejection).toMatchObject({ code: 'invalid-configuration', status: 400 });
    expect(rejection.internal).toHaveLength(2);
    expect(await scene.node.run('export_metadata')).toEqual({ version: 3, sources: [source()] });

    const result = await scene.node.run('replace_metadata', { metadata: broken, allow_inconsistent_metadata: true });
    expect(result).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [
        { type: 'table', name: 'table nothing in source default', path: '$.sources[0].tables[1]' },
        { type: 'object_relation', definition: toAuthorDefinition() },
      ],
    });
    expect(await scene.node.run('export_metadata')).toEqual(broken);
  });

  test('rejects unknown members, also if inconsistent metadata is allowed', async () => {
    const misspelt = { version: 3, sources: [source(author)], cron_trigers: [] };
    const rejected = [
      [misspelt, '$.args.cron_trigers'],
      [{ metadata: misspelt, allow_inconsistent_metadata: true }, '$.args.metadata.cron_trigers'],
    ] as const;
    for (const [args, path] of rejected) {
      const rejection = await scene.node.rejection('replace_metadata', args);
      expect(rejection).toMatchObject({ code: 'parse-failed', status: 400, path });
      expect(rejection.message).toMatch(/did you mean "cron_triggers"/);
    }
    expect(await scene.node.run('export_metadata')).toEqual({ version: 3, sources: [source()] });
  });

  function toAuthorDefinition(): object {
    return { name: 'author', source: 'default', table: { schema: 'public', name: 'article' } };
  }
});

describe('an inconsistent object', () => {
  beforeEach(() => scene.node.run('replace_metadata', { metadata: broken, allow_inconsistent_metadata: true }));

  test('does not affect other objects', () => {
    const [found] = [...scene.node.model().sources.values()];
    expect([...(found?.tables.keys() ?? [])]).toEqual([relationKey('public', 'article')]);
  });

  test('is listed by get_inconsistent_metadata and reload_metadata', async () => {
    expect(await scene.node.run('get_inconsistent_metadata')).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [
        { type: 'table', reason: expect.stringMatching(/^Inconsistent object: /) },
        { type: 'object_relation' },
      ],
    });
    expect(await scene.node.run('reload_metadata')).toMatchObject({
      message: 'success',
      is_consistent: false,
      inconsistent_objects: [{ type: 'table' }, { type: 'object_relation' }],
    });
  });

  test('does not prevent other changes', async () => {
    await scene.node.run('pg_set_table_customization', { table: 'article', configuration: { custom_name: 'text' } });
    expect(scene.node.model().inconsistencies).toHaveLength(2);
  });

  test('becomes consistent when the missing object is added', async () => {
    await scene.node.run('track_table', 'author');
    expect(scene.node.model().inconsistencies).toHaveLength(1);
  });

  test('is dropped by drop_inconsistent_metadata', async () => {
    expect(await scene.node.run('drop_inconsistent_metadata')).toEqual({ message: 'success' });
    expect(await scene.node.run('get_inconsistent_metadata')).toEqual({
      is_consistent: true,
      inconsistent_objects: [],
    });
    expect(await scene.node.run('export_metadata')).toEqual({
      version: 3,
      sources: [source({ table: { name: 'article', schema: 'public' } })],
    });
  });

  test('is rejected in new commands', async () => {
    const custom = { table: 'article', role: 'user', permission: { columns: ['nothing'], filter: {} } };
    expect(await scene.node.rejection('create_select_permission', custom)).toMatchObject({
      code: 'invalid-configuration',
    });
  });
});

test('clear_metadata keeps the settings of the default source', async () => {
  const configuration = { connection_info: { database_url: { from_env: 'SOME' } } };
  await scene.node.run('replace_metadata', {
    version: 3,
    sources: [{ ...source(author), configuration }],
    network: {},
  });
  expect(await scene.node.run('clear_metadata')).toEqual({ message: 'success' });
  expect(await scene.node.run('export_metadata')).toEqual({ version: 3, sources: [{ ...source(), configuration }] });
  await scene.node.run('replace_metadata', { version: 3, sources: [source()] });
});

test('reload_metadata detects direct changes of the database', async () => {
  await scene.node.run('track_table', 'author');
  await scene.database.database.query({ text: 'alter table author add born date', values: [] });
  expect(await scene.node.run('reload_metadata', { reload_remote_schemas: false })).toEqual({
    message: 'success',
    is_consistent: true,
  });
  const [found] = [...scene.node.model().sources.values()];
  expect(found?.tables.get(relationKey('public', 'author'))?.columns.has('born')).toBe(true);
});

test('a command that changes nothing does not change the resource version', async () => {
  await scene.node.run('track_table', 'author');
  const before = await scene.node.run('export_metadata', {}, { version: 2 });
  await scene.node.run('set_table_customization', { table: 'author', configuration: {} });
  expect(await scene.node.run('export_metadata', {}, { version: 2 })).toEqual(before);
});

test('metadata is exported as it was written, with numbers of any length', async () => {
  await scene.node.run('track_table', 'author');
  const { parseJson, printJson } = await import('../../src/base/json-value.ts');
  const body = `{"type": "create_select_permission", "args": {"table": "author", "role": "user",
    "permission": {"columns": "*", "filter": {"worth": {"_lt": 12345678901234567890.5}}}}}`;
  const { args } = parseJson(body) as { args: unknown };
  await scene.node.run('create_select_permission', args);
  const again = await startServiceCore(scene.database);
  expect(printJson(await again.run('export_metadata'))).toContain('{"_lt":12345678901234567890.5}');
  await again.stop();
});
