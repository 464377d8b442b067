/** When remote schemas are introspected again: by the commands of a bulk, and by the other nodes. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createStore } from '../../src/service/metadata/store.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
let remote: GraphQLServer;
let other: GraphQLServer;
let nodes: TestServiceCore[] = [];

beforeEach(async () => {
  [database, remote, other] = await Promise.all([
    testDatabase({ migrated: true, sql: 'create table item (id int primary key)' }),
    startGraphQLServer('type Query { a: Int }'),
    startGraphQLServer('type Query { b: Int }'),
  ]);
});

afterEach(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  nodes = [];
  await Promise.all([remote.close(), other.close(), database.drop()]);
});

/** Starts a node that applies changes of others where it is notified. */
async function start(): Promise<TestServiceCore> {
  const environment = { REMOTE: remote.url, OTHER: other.url };
  const node = await startServiceCore(database, { sync: 'none', environment });
  nodes.push(node);
  return node;
}

const definition = { url_from_env: 'REMOTE' };

function fieldsOf(node: TestServiceCore): string {
  const [schema] = node.model().remoteSchemas.values();
  return Object.keys(schema?.upstream.getQueryType()?.getFields() ?? {}).join();
}

/** Returns the announcement of the present metadata. */
async function announcement(world: boolean): Promise<string> {
  return JSON.stringify({ ...(await createStore(database.database).mark()), world });
}

describe('bulk_atomic', () => {
  test('introspects a remote schema that it adds', async () => {
    const node = await start();
    await node.run('bulk_atomic', [{ type: 'add_remote_schema', args: { name: 'remote', definition } }]);
    expect(fieldsOf(node)).toBe('a');
  });

  test('introspects a remote schema whose address it changes', async () => {
    const node = await start();
    await node.run('add_remote_schema', { name: 'remote', definition });
    const args = { name: 'remote', definition: { url_from_env: 'OTHER' } };
    await node.run('bulk_atomic', [{ type: 'update_remote_schema', args }]);
    expect(fieldsOf(node)).toBe('b');
  });

  test('rejects an address at which there is no remote schema', async () => {
    const node = await start();
    await node.run('add_remote_schema', { name: 'remote', definition });
    const args = { name: 'remote', definition: { url: 'http://127.0.0.1:9/' } };
    expect(await node.rejection('bulk_atomic', [{ type: 'update_remote_schema', args }])).toMatchObject({
      code: 'remote-schema-error',
    });
  });
});

describe('a node reads the schema that another node has reloaded', () => {
  test('where a command has loaded the metadata before the announcement', async () => {
    const [one, late] = [await start(), await start()];
    await one.run('add_remote_schema', { name: 'remote', definition });
    late.service.notificationsMissed();
    await until('the other node has the remote schema', () => fieldsOf(late) === 'a');
    remote.replaceSchema('type Query { a: Int c: Int }');
    await one.run('reload_remote_schema', { name: 'remote' });
    await late.run('export_metadata');
    late.service.notified(await announcement(true));
    await until('the other node has the new schema', () => fieldsOf(late) === 'a,c');
  });

  test('where it has missed the announcement as well', async () => {
    const [one, late] = [await start(), await start()];
    await one.run('add_remote_schema', { name: 'remote', definition });
    remote.replaceSchema('type Query { a: Int c: Int }');
    await late.run('export_metadata');
    remote.replaceSchema('type Query { a: Int c: Int d: Int }');
    await one.run('reload_remote_schema', { name: 'remote' });
    await late.run('export_metadata');
    late.service.notificationsMissed();
    await until('the other node has the new schema', () => fieldsOf(late) === 'a,c,d');
  });

  test('where the announcement of a later change arrives first', async () => {
    const [one, late] = [await start(), await start()];
    await one.run('add_remote_schema', { name: 'remote', definition });
    late.service.notificationsMissed();
    await until('the other node has the remote schema', () => fieldsOf(late) === 'a');
    remote.replaceSchema('type Query { a: Int c: Int }');
    await one.run('reload_remote_schema', { name: 'remote' });
    const reloaded = await announcement(true);
    await one.run('track_table', { table: 'item' });
    late.service.notified(await announcement(false));
    await until('the other node tracks the table', () => [...late.model().sources.values()][0]?.tables.size === 1);
    late.service.notified(reloaded);
    await until('the other node has the new schema', () => fieldsOf(late) === 'a,c');
  });
});
