/** Unsupported members of the metadata: they are stored without effect. */
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

const author = { table: { name: 'author', schema: 'public' }, logical_model: 'writer' };
const metadata = { version: 3, sources: [{ name: 'default', kind: 'postgres', tables: [author] }] };
const listed = {
  type: 'unsupported',
  name: 'logical_model of table "author", source "default"',
  path: '$.sources[0].tables[0].logical_model',
  reason: expect.stringContaining('"logical_model" has no effect'),
  definition: 'writer',
};

describe('an unsupported member', () => {
  test('is accepted, listed as an inconsistency and exported unchanged', async () => {
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

  test('is a warning in the response to metadata without options', async () => {
    expect(await node.run('replace_metadata', metadata)).toMatchObject({
      message: 'success',
      warnings: [{ path: listed.path }],
    });
  });

  test('is rejected if warnings are not allowed', async () => {
    const before = await node.run('export_metadata');
    const rejection = await node.rejection('replace_metadata', { metadata, allow_warnings: false });
    expect(rejection).toMatchObject({ code: 'metadata-warnings', status: 400, internal: [listed] });
    expect(await node.run('export_metadata')).toEqual(before);
  });

  test('does not hide an inconsistent object', async () => {
    const nothing = { table: { name: 'nothing', schema: 'public' } };
    const broken = { version: 3, sources: [{ ...metadata.sources[0], tables: [author, nothing] }] };
    const rejection = await node.rejection('replace_metadata', { metadata: broken });
    expect(rejection).toMatchObject({ code: 'invalid-configuration', internal: [{ type: 'table' }] });
  });

  test('does not prevent other changes, and is a warning in the response to the command that adds it', async () => {
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

  test('is not removed by drop_inconsistent_metadata', async () => {
    await node.run('replace_metadata', { metadata });
    await node.run('drop_inconsistent_metadata');
    expect(await node.run('export_metadata')).toEqual(metadata);
  });
});

test('stored metadata with an unknown member is loaded, and the member is kept and listed', async () => {
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

test('/healthz?strict=true and joinery_inconsistent_objects ignore unsupported members', async () => {
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
