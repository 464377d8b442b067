/** The settings that select the saved operations, and those of mutations. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService } from '../support/service/test-service.ts';
import { connectMcp, type TestClient } from './mcp-client.ts';

const collections = [
  { name: 'one', definition: { queries: [{ name: 'notes', query: '{ note { id } }' }] } },
  {
    name: 'two',
    definition: {
      queries: [
        { name: 'notes', query: 'query ($id: Int!) { note(where: {id: {_eq: $id}}) { id } }' },
        { name: 'run_operation', query: '{ note_by_pk(id: 1) { id } }' },
      ],
    },
  },
];

const common = ['search_schema', 'validate_operation', 'run_operation'];

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase({ sql: 'create table note (id int primary key); insert into note values (1)' });
  const service = await startService({}, database);
  await service.command('track_table', 'note');
  for (const collection of collections) await service.command('create_query_collection', collection);
  await service.stop();
});

afterAll(() => database?.drop());

async function withClient<Result>(
  settings: Readonly<Record<string, string>>,
  work: (client: TestClient) => Promise<Result>,
): Promise<Result> {
  const service = await startService({ JOINERY_ENABLE_MCP: 'true', ...settings }, database);
  try {
    return await work(await connectMcp(`${service.url}/mcp`));
  } finally {
    await service.stop();
  }
}

it('no collection is served by default unless it is on the allow list', async () => {
  expect(await withClient({}, ({ names }) => names())).toEqual(common);
});

it('a named collection is served', async () => {
  const names = await withClient({ JOINERY_MCP_COLLECTIONS: 'one' }, (client) => client.names());
  expect(names).toEqual(['notes', ...common]);
});

it('an operation whose name is taken has the name of its collection as well', async () => {
  const names = await withClient({ JOINERY_MCP_COLLECTIONS: 'all' }, (client) => client.names());
  expect(names).toEqual(['notes', 'two_notes', 'two_run_operation', ...common]);
});

it('run_operation runs mutations where the settings permit them', async () => {
  const query = 'mutation { insert_note_one(object: {id: 2}) { id } }';
  const result = await withClient({ JOINERY_MCP_MUTATIONS: 'true' }, ({ call }) => call('run_operation', { query }));
  expect(result.json()).toEqual({ data: { insert_note_one: { id: 2 } } });
});

it('rejects settings of the MCP server without it', () => {
  expect(() => parseConfig({ JOINERY_MCP_SCOPES: 'docs:read' })).toThrow('set JOINERY_ENABLE_MCP=true');
});

it('rejects an unknown scope', () => {
  expect(() => parseConfig({ JOINERY_ENABLE_MCP: 'true', JOINERY_MCP_SCOPES: 'all' })).toThrow('JOINERY_MCP_SCOPES');
});

it('rejects a public URL with a path', () => {
  const settings = { JOINERY_ENABLE_MCP: 'true', JOINERY_PUBLIC_URL: 'https://example.com/data' };
  expect(() => parseConfig(settings)).toThrow('without a path');
});
