/** `joinery mcp` as a process of an agent, by the client of the official SDK. */
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, testClient } from '../../server/test/mcp/mcp-client.ts';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { until } from '../../server/test/support/until.ts';
import { joinery } from './support/command.ts';

const bin = fileURLToPath(new URL('../bin/joinery.mjs', import.meta.url));
const secret = 'the admin secret of tests';

let service: TestService;
let withSecret: TestService;
const clients: Client[] = [];

beforeAll(async () => {
  const settings = { JOINERY_ENABLE_MCP: 'true', JOINERY_MCP_SCOPES: 'sql:read,docs:read' };
  service = await startService(settings, {
    sql: 'create table note (id int primary key); insert into note values (1)',
  });
  await service.command('track_table', 'note');
  await service.command('create_select_permission', {
    table: 'note',
    role: 'user',
    permission: { columns: ['id'], filter: {} },
  });
  withSecret = await startService({ ...settings, JOINERY_ADMIN_SECRET: secret }, service.database);
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(async () => {
  await withSecret?.stop();
  await service?.stop();
});

async function connect(args: readonly string[], to: TestService = service): Promise<TestClient> {
  const client = new Client({ name: 'tests', version: '1' });
  clients.push(client);
  const given = ['mcp', '--endpoint', to.url, ...args];
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, ...given],
      env: { PATH: process.env.PATH ?? '', JOINERY_ADMIN_SECRET: secret },
    }),
  );
  return testClient(client);
}

describe('joinery mcp', () => {
  it('serves the tools of the role', async () => {
    const { names } = await connect(['--role', 'user']);
    expect(await names()).toEqual(['search_schema', 'validate_operation', 'run_operation']);
  });

  it('runs an operation as the role', async () => {
    const { call } = await connect(['--role', 'user']);
    expect((await call('run_operation', { query: '{ note { id } }' })).json()).toEqual({ data: { note: [{ id: 1 }] } });
  });

  it('serves the tools of developers with --admin', async () => {
    const { names } = await connect(['--admin'], withSecret);
    expect(await names()).toEqual(['query_sql', 'search_docs', 'read_docs']);
  });

  it('sends the admin secret for a role with --admin', async () => {
    const { call } = await connect(['--admin', '--role', 'user'], withSecret);
    expect((await call('run_operation', { query: '{ note { id } }' })).isError).toBe(false);
  });

  it('does not send the admin secret without --admin', async () => {
    await expect(connect(['--role', 'user'], withSecret)).rejects.toThrow('access-denied');
  });

  it('cancels the statement of a call that the client cancels', async () => {
    const { client } = await connect(['--admin']);
    const controller = new AbortController();
    const call = client.callTool({ name: 'query_sql', arguments: { sql: 'select pg_sleep(600)' } }, undefined, {
      signal: controller.signal,
    });
    const sleeping = async (): Promise<boolean> => {
      const { rows } = await service.database.database.query({
        text: `select 1 from pg_stat_activity
          where datname = current_database() and query like 'fetch % from joinery_run_sql' and state = 'active'`,
        values: [],
      });
      return rows.length > 0;
    };
    await until('the statement', async () => (await sleeping()) || undefined);
    controller.abort();
    await expect(call).rejects.toThrow();
    await until('the end of the statement', async () => !(await sleeping()) || undefined);
  });

  it('returns an error of JSON-RPC where no service responds', async () => {
    const absent = { ...service, url: 'http://127.0.0.1:9' };
    await expect(connect(['--role', 'user'], absent)).rejects.toThrow('cannot connect to http://127.0.0.1:9');
  });

  it('rejects options that name no caller', async () => {
    expect(await joinery(['mcp'])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--role') });
  });

  it('rejects a header without a name', async () => {
    expect(await joinery(['mcp', '--role', 'user', '--header', 'x'])).toMatchObject({ code: 1, out: '' });
  });
});
