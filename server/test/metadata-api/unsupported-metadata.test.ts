/** Members of the metadata that are kept and have no effect. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';
import { startService } from '../support/service/test-service.ts';

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({ migrated: true, sql: 'create table author (id int primary key, name text)' });
  node = await startServiceCore(database);
});

afterAll(async () => {
  await node.stop();
  await database.drop();
});

beforeEach(() => node.run('clear_metadata'));

const trigger = { name: 't', definition: { insert: { columns: '*' } }, webhook: 'http://127.0.0.1:1' };
const author = { table: { name: 'author', schema: 'public' }, event_triggers: [trigger] };
const metadata = { version: 3, sources: [{ name: 'default', kind: 'postgres', tables: [author] }] };
const listed = {
  type: 'unsupported',
  name: 'event_triggers of table "author", source "default"',
  path: '$.sources[0].tables[0].event_triggers',
  reason: expect.stringContaining('"event_triggers" is kept and has no effect'),
  definition: [trigger],
};

describe('a member that is not supported', () => {
  test('is applied without allow_inconsistent_metadata, listed as an inconsistency and exported as it was', async () => {
    expect(await node.run('replace_metadata', { metadata })).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [listed],
      warnings: [{ type: 'unsupported', code: 'not-supported', path: listed.path }],
    });
    expect(await node.run('get_inconsistent_metadata')).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [listed],
    });
    expect(await node.run('reload_metadata')).toMatchObject({ is_consistent: false, inconsistent_objects: [listed] });
    expect(await node.run('export_metadata')).toEqual(metadata);
    expect(node.model().sources.get('default' as never)?.tables.size).toBe(1);
  });

  test('is a warning in the response to metadata that is sent without settings', async () => {
    expect(await node.run('replace_metadata', metadata)).toMatchObject({
      message: 'success',
      warnings: [{ path: listed.path }],
    });
  });

  test('is rejected with allow_warnings false, and nothing is applied', async () => {
    const before = await node.run('export_metadata');
    const refusal = await node.rejection('replace_metadata', { metadata, allow_warnings: false });
    expect(refusal).toMatchObject({ code: 'metadata-warnings', status: 400, internal: [listed] });
    expect(await node.run('export_metadata')).toEqual(before);
  });

  test('does not hide an object that cannot be used', async () => {
    const nothing = { table: { name: 'nothing', schema: 'public' } };
    const broken = { version: 3, sources: [{ ...metadata.sources[0], tables: [author, nothing] }] };
    const refusal = await node.rejection('replace_metadata', { metadata: broken });
    expect(refusal).toMatchObject({ code: 'not-exists', internal: [{ type: 'table' }] });
  });

  test('keeps no edit of other objects from being made, and is named in the response to the edit that brings it', async () => {
    await node.run('replace_metadata', { metadata });
    const permission = { columns: ['id'], filter: {}, backend_only: true };
    expect(await node.run('pg_create_select_permission', { table: 'author', role: 'user', permission })).toMatchObject({
      message: 'success',
      warnings: [{ path: '$.sources[0].tables[0].select_permissions[0].permission.backend_only' }],
    });
    expect(
      await node.run('bulk', [
        { type: 'pg_drop_select_permission', args: { table: 'author', role: 'user' } },
        { type: 'pg_create_select_permission', args: { table: 'author', role: 'other', permission } },
      ]),
    ).toMatchObject([{ message: 'success' }, { message: 'success', warnings: [{ type: 'unsupported' }] }]);
    const plain = { columns: ['id'], filter: {} };
    expect(
      await node.run('pg_create_select_permission', { table: 'author', role: 'plain', permission: plain }),
    ).toEqual({ message: 'success' });
  });

  test('stays when inconsistent objects are dropped', async () => {
    await node.run('replace_metadata', { metadata });
    await node.run('drop_inconsistent_metadata');
    expect(await node.run('export_metadata')).toEqual(metadata);
  });
});

test('metadata of an earlier version with an unknown member loads, keeps the member and lists it', async () => {
  const stored = { ...metadata, sources: [{ ...metadata.sources[0], tables: [{ table: author.table, tigers: 1 }] }] };
  const text = 'update joinery.metadata set metadata = $1::json, resource_version = resource_version + 1';
  await database.database.query({ text, values: [JSON.stringify(stored)] });
  const second = await startServiceCore(database);
  try {
    expect(await second.run('get_inconsistent_metadata')).toMatchObject({
      inconsistent_objects: [
        { type: 'unsupported', path: '$.sources[0].tables[0].tigers', reason: expect.stringContaining('is unknown') },
      ],
    });
    expect(await second.run('pg_set_table_is_enum', { table: 'author', is_enum: false })).toMatchObject({
      message: 'success',
    });
    expect(await second.run('export_metadata')).toMatchObject({ sources: [{ tables: [{ tigers: 1 }] }] });
  } finally {
    await second.stop();
  }
});

test('/healthz?strict=true and joinery_inconsistent_objects count no members that are not supported', async () => {
  const service = await startService({}, { sql: 'create table author (id int primary key)' });
  try {
    await service.command('replace_metadata', { metadata });
    const response = await fetch(`${service.url}/healthz?strict=true`);
    expect([response.status, await response.text()]).toEqual([200, 'OK']);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^joinery_inconsistent_objects(\{[^}]*\})? 0$/m);
  } finally {
    await service.stop();
  }
});
