/** Several nodes on one database: all nodes apply each change, and no change is lost. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { relationKey } from '../../src/postgres/catalog/catalog-types.ts';
import { createStore } from '../../src/service/metadata/store.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { type ServiceCoreOptions, startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
let nodes: TestServiceCore[] = [];

beforeEach(async () => {
  const statements = Array.from({ length: 8 }, (_none, index) => `create table t${index} (id int primary key);`);
  database = await testDatabase({ migrated: true, sql: statements.join('') });
});

afterEach(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  nodes = [];
  await database.drop();
});

async function start(options: ServiceCoreOptions = {}): Promise<TestServiceCore> {
  const node = await startServiceCore(database, options);
  nodes.push(node);
  return node;
}

function isTracked(node: TestServiceCore, name: string): boolean {
  return [...node.model().sources.values()][0]?.tables.has(relationKey('public', name)) === true;
}

async function versionOf(node: TestServiceCore): Promise<number> {
  return ((await node.run('export_metadata', {}, { version: 2 })) as { resource_version: number }).resource_version;
}

describe.each(['notifications', 'polling'] as const)('nodes that synchronize by %s', (sync) => {
  test('apply the changes of other nodes to metadata and tables', async () => {
    const [one, other] = [await start({ sync }), await start({ sync })];
    await one.run('track_table', 't0');
    await until('the other node tracks t0', () => isTracked(other, 't0'));
    await other.run('run_sql', { sql: 'alter table t0 add note text' });
    await until(
      'the first node sees the new column',
      () => one.model().sources.values().next().value?.tables.get(relationKey('public', 't0'))?.columns.size === 2,
    );
    expect(await versionOf(one)).toBe(await versionOf(other));
  });

  test('reload remote schemas when one of them does', async () => {
    const remote = await startGraphQLServer('type Query { a: Int }');
    const environment = { REMOTE: remote.url };
    const [one, other] = [await start({ sync, environment }), await start({ sync, environment })];
    await one.run('add_remote_schema', { name: 'remote', definition: { url_from_env: 'REMOTE' } });
    await until('the other node has the remote schema', () => other.model().remoteSchemas.size === 1);
    await one.run('reload_metadata');
    await until('both nodes have introspected again', () => remote.introspections.length === 4);
    await remote.close();
  });
});

describe('a change after a change by another node', () => {
  test('is applied by reload_metadata', async () => {
    const [one, other] = [await start({ sync: 'none' }), await start({ sync: 'none' })];
    await one.run('track_table', 't0');
    await other.run('reload_metadata');
    expect(isTracked(other, 't0')).toBe(true);
  });

  test('is checked against the current metadata', async () => {
    const [one, other] = [await start({ sync: 'none' }), await start({ sync: 'none' })];
    await one.run('track_table', 't0');
    expect(await other.run('untrack_table', { table: 't0' })).toEqual({ message: 'success' });
  });

  test('is rejected with conflict if it names an earlier version, also where it does not fit that version', async () => {
    const [one, other] = [await start({ sync: 'none' }), await start({ sync: 'none' })];
    const resource_version = await versionOf(other);
    await one.run('track_table', 't0');
    expect(await other.rejection('untrack_table', { table: 't1' }, { resource_version })).toMatchObject({
      code: 'conflict',
    });
  });

  test('changes the current metadata where it would change nothing in an earlier version', async () => {
    const [one, other] = [await start({ sync: 'none' }), await start({ sync: 'none' })];
    await one.run('create_query_collection', { name: 'shop', definition: { queries: [] } });
    await one.run('add_collection_to_allowlist', { collection: 'shop' });
    await other.run('reload_metadata');
    await one.run('drop_collection_from_allowlist', { collection: 'shop' });
    await other.run('add_collection_to_allowlist', { collection: 'shop' });
    expect((await createStore(database.database).load()).metadata.allowlist).toEqual([{ collection: 'shop' }]);
  });

  test('is applied again to the current metadata', async () => {
    const [one, other] = [await start({ sync: 'none' }), await start({ sync: 'none' })];
    await Promise.all(
      Array.from({ length: 8 }, (_none, index) => (index % 2 ? one : other).run('track_table', `t${index}`)),
    );
    expect((await createStore(database.database).load()).metadata.sources[0]?.tables).toHaveLength(8);
  });

  test('is applied again with its SQL, once', async () => {
    const [one, other] = [await start({ sync: 'none' }), await start({ sync: 'none' })];
    await one.run('track_table', 't0');
    await other.run('bulk', [
      { type: 'run_sql', args: { sql: 'insert into t1 values (1)' } },
      { type: 'run_sql', args: { sql: 'alter table t0 add note text' } },
    ]);
    await one.run('track_table', 't1');
    await other.run('bulk_keep_going', [{ type: 'run_sql', args: { sql: 'alter table t1 add note text' } }]);
    expect(isTracked(other, 't0') && isTracked(other, 't1')).toBe(true);
  });

  test('is rejected with 409 if it names an old resource version', async () => {
    const [one, other] = [await start(), await start()];
    const resource_version = await versionOf(one);
    await other.run('track_table', 't0');
    const rejection = await one.rejection('track_table', 't1', { resource_version });
    expect(rejection).toMatchObject({ code: 'conflict', status: 409 });
    await one.run('track_table', 't1', { resource_version: resource_version + 1 });
    expect(await one.rejection('track_table', 't2', { resource_version: 1.5 })).toMatchObject({
      code: 'parse-failed',
      path: '$.resource_version',
    });
  });

  test('waits while SQL of another node changes tables', async () => {
    const [one, other] = [await start(), await start()];
    const slow = one.run('bulk', [
      { type: 'run_sql', args: { sql: 'create table created (id int primary key); select pg_sleep(0.3)' } },
      { type: 'track_table', args: 'created' },
    ]);
    await other.run('track_table', 't0');
    await slow;
    await until('both nodes track both tables', () => isTracked(other, 'created') && isTracked(one, 't0'));
  });
});

describe('a command that shows the metadata', () => {
  test('shows the changes of other nodes that were made before it', async () => {
    const [one, other] = [await start({ sync: 'none' }), await start({ sync: 'none' })];
    await one.run('track_table', 't0');
    expect(JSON.stringify(await other.run('export_metadata'))).toContain('"t0"');
  });

  test('does so within a bulk', async () => {
    const [one, other] = [await start({ sync: 'none' }), await start({ sync: 'none' })];
    await one.run('track_table', 't0');
    const result = await other.run('bulk', [{ type: 'export_metadata', args: {} }]);
    expect(JSON.stringify(result)).toContain('"t0"');
  });
});

describe('the store', () => {
  test('starts with an empty default source and is read after a restart', async () => {
    const first = await start();
    expect(await first.run('export_metadata', {}, { version: 2 })).toEqual({
      resource_version: 1,
      metadata: { version: 3, sources: [{ name: 'default', kind: 'postgres', tables: [] }] },
    });
    await first.run('track_table', 't0');
    expect(isTracked(await start(), 't0')).toBe(true);
  });

  test('may be in a database without data', async () => {
    const metadataDatabase = await testDatabase({ migrated: true });
    const node = await start({ metadataDatabase: metadataDatabase.database });
    await node.run('bulk', [
      { type: 'run_sql', args: { sql: 'create table item (id int primary key)' } },
      { type: 'track_table', args: 'item' },
    ]);
    expect(isTracked(node, 'item')).toBe(true);
    expect((await createStore(metadataDatabase.database).load()).metadata.sources[0]?.tables).toHaveLength(1);
    expect((await createStore(database.database).load()).metadata.sources[0]?.tables).toHaveLength(0);
    await node.rejection('bulk', [
      { type: 'run_sql', args: { sql: 'drop table item' } },
      { type: 'track_table', args: 'nothing' },
    ]);
    const found = await database.database.query({ text: `select to_regclass('item')`, values: [] });
    expect(found.rows).toEqual([['item']]);
    await node.stop();
    nodes = [];
    await metadataDatabase.drop();
  });

  test('rejects stored metadata that is invalid, with the reason', async () => {
    const text = `insert into joinery.metadata values (1, 7, '{"version": 3, "sources": [{"tables": []}]}')`;
    await database.database.query({ text, values: [] });
    await expect(createStore(database.database).load()).rejects.toMatchObject({
      code: 'invalid-configuration',
      message: expect.stringContaining('missing argument "name" at $.sources[0].name'),
    });
  });
});

describe('a source in another database', () => {
  test('is connected to by the URL or the environment variable of its configuration', async () => {
    const far = await testDatabase({ sql: 'create table far_table (id int primary key)' });
    const node = await start({ environment: { FAR: far.url } });
    const source = (database_url: unknown) => ({
      name: 'far',
      tables: [{ table: 'far_table' }],
      configuration: { connection_info: { database_url } },
    });
    const metadata = (url: unknown) => ({ version: 3, sources: [{ name: 'default' }, source(url)] });
    for (const url of [far.url, { from_env: 'FAR' }]) {
      await node.run('replace_metadata', metadata(url));
      expect([...node.model().sources.keys()]).toEqual(['default', 'far']);
      expect([...node.model().sources.values()][1]?.tables.size).toBe(1);
      await node.run('run_sql', { sql: 'select * from far_table', source: 'far' });
    }
    expect(await node.rejection('replace_metadata', metadata({ from_env: 'NOT_SET' }))).toMatchObject({
      code: 'invalid-configuration',
      message: expect.stringContaining('NOT_SET'),
    });
    await node.stop();
    nodes = [];
    await far.drop();
  });
});

describe('an unreachable remote schema', () => {
  const withRemote = (url: string) => ({
    version: 3,
    sources: [{ name: 'default' }],
    remote_schemas: [{ name: 'remote', definition: { url } }],
  });

  test('is introspected again until it is reachable', async () => {
    const remote: GraphQLServer = await startGraphQLServer('type Query { a: Int }');
    remote.respondWith(() => ({ status: 500, body: 'down' }));
    const node = await start();
    const args = { allow_inconsistent_metadata: true, metadata: withRemote(remote.url) };
    expect(await node.run('replace_metadata', args)).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [{ type: 'remote_schema' }],
    });
    remote.reset();
    await until('the node has the remote schema', () => node.model().remoteSchemas.size === 1);
    expect(node.model().inconsistencies).toEqual([]);
    await remote.close();
  });

  test('delays neither a start nor a change while it does not respond', async () => {
    const remote: GraphQLServer = await startGraphQLServer('type Query { a: Int }');
    await (await start()).run('replace_metadata', withRemote(remote.url));
    remote.respondWith(() => 'never');
    const late = await start();
    expect(late.model().inconsistencies).toMatchObject([{ type: 'remote_schema', code: 'remote-schema-error' }]);
    await late.run('track_table', 't0');
    expect(isTracked(late, 't0')).toBe(true);
    await remote.close();
  });
});
