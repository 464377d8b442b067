import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { pooled } from '../../../server/test/support/database/pooler.ts';
import { testDatabase } from '../../../server/test/support/database/test-database.ts';
import { until } from '../../../server/test/support/until.ts';
import { addressOf } from './service-address.ts';

const bin = fileURLToPath(new URL('../../bin/joinery.mjs', import.meta.url));
const children: ChildProcess[] = [];
const servers: Server[] = [];

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  for (const server of servers) server.closeAllConnections();
});

async function serve(databaseUrl: string, webhook: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--log-format', 'json'], {
    env: { PATH: process.env.PATH, JOINERY_DATABASE_URL: pooled(databaseUrl), SINK: webhook },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return { child, url: await addressOf(child) };
}

interface Sink {
  readonly url: string;
  /** The number of calls by event id. */
  readonly calls: Map<string, number>;
  readonly server: Server;
}

/** Delays each response, so that some calls are always in flight. */
async function startSink(calls: Map<string, number>): Promise<Sink> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const { id } = JSON.parse(text) as { id: string };
      calls.set(id, (calls.get(id) ?? 0) + 1);
      setTimeout(() => response.end('{}'), 40);
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, server };
}

it('a killed service loses no event, and another repeats only calls without a stored outcome', async () => {
  const total = 2_000;
  const database = await testDatabase();
  // Each service has a sink of its own, which shows when all calls of the killed service have arrived.
  const sink = await startSink(new Map());
  const other = await startSink(sink.calls);
  const column = async (text: string) =>
    (await database.database.query({ text, values: [] })).rows.map(([value]) => value ?? '');
  const count = async (text: string) => Number((await column(text))[0]);
  const first = await serve(database.url, sink.url);
  const second = await serve(database.url, other.url);
  const at = new Date(Date.now() + 1_500).toISOString();
  const command = { type: 'create_scheduled_event', args: { webhook: '{{SINK}}/', schedule_at: at, payload: {} } };
  const response = await fetch(`${first.url}/v1/query`, {
    method: 'POST',
    headers: { 'X-Service-Role': 'admin' },
    body: JSON.stringify({ type: 'bulk', args: Array.from({ length: total }, () => command) }),
  });
  expect(response.status).toBe(200);

  await expect.poll(() => sink.calls.size, { interval: 5 }).toBeGreaterThan(300);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const written = new Set(await column('select id from joinery.processed_events'));
  const connections = () =>
    new Promise<number>((resolve) => sink.server.getConnections((_error, count) => resolve(count)));
  await until('all calls of the killed service have arrived', async () => (await connections()) === 0);
  const called = new Set(sink.calls.keys());
  await expect.poll(() => sink.calls.size, { timeout: 120_000 }).toBe(total);

  await expect
    .poll(() => count("select count(*) from joinery.processed_events where status = 'delivered'"))
    .toBe(total);
  expect(await count('select count(*) from joinery.scheduled_events')).toBe(0);
  const repeated = [...sink.calls].filter(([, calls]) => calls > 1);
  expect(repeated.filter(([id, calls]) => calls > 2 || written.has(id) || !called.has(id))).toEqual([]);

  second.child.kill('SIGTERM');
  await once(second.child, 'exit');
  await database.drop();
}, 300_000);
