/** Tests that another node runs an asynchronous action again if its node is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { pooled } from '../../../server/test/support/database/pooler.ts';
import { testDatabase } from '../../../server/test/support/database/test-database.ts';
import { addressOf } from './service-address.ts';

const bin = fileURLToPath(new URL('../../bin/joinery.mjs', import.meta.url));
const children: ChildProcess[] = [];
/** Calls without a response yet. */
const calls: ServerResponse[] = [];
const handler = createServer((request, response) => {
  request.resume().on('end', () => calls.push(response));
});

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  handler.closeAllConnections();
  handler.close();
});

async function serve(databaseUrl: string): Promise<{ child: ChildProcess; url: string }> {
  const { port } = handler.address() as AddressInfo;
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--log-format', 'json'], {
    env: {
      PATH: process.env.PATH,
      JOINERY_DATABASE_URL: pooled(databaseUrl),
      HANDLER: `http://127.0.0.1:${port}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return { child, url: await addressOf(child) };
}

async function post(url: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

it('runs an action once again if its node was killed', async () => {
  handler.listen(0, '127.0.0.1');
  await once(handler, 'listening');
  const database = await testDatabase();
  const first = await serve(database.url);
  const definition = { kind: 'asynchronous', handler: '{{HANDLER}}/', output_type: 'Int' };
  await post(`${first.url}/v1/query`, { type: 'create_action', args: { name: 'work', definition } });
  const submitted = await post(`${first.url}/v1/graphql`, { query: 'mutation { work }' });
  const { work: id } = submitted.data as { work: string };
  await expect.poll(() => calls.length).toBe(1);

  const second = await serve(database.url);
  first.child.kill('SIGKILL');
  await expect.poll(() => calls.length, { timeout: 120_000 }).toBe(2);
  calls[1]?.end('42');
  const result = async () =>
    (await post(`${second.url}/v1/graphql`, { query: `{ work(id: "${id}") { output errors } }` })).data;
  await expect.poll(result).toEqual({ work: { output: 42, errors: null } });
  expect(calls).toHaveLength(2);

  second.child.kill('SIGTERM');
  await once(second.child, 'exit');
  await database.drop();
}, 300_000);
