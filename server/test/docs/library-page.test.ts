/** The examples of docs/library.md run as they are written, each in a process and on a database of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { testDatabase } from '../support/database/test-database.ts';
import { freePort } from '../support/http/free-port.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
const examples = new Map([...page.matchAll(/^```js run=(\w+)\n(.*?)^```$/gms)].map(([, name, code]) => [name, code]));
const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** Starts an example. Its output is part of the failure of a test. */
async function run(name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-library-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  const database = await testDatabase();
  endings.push(() => database.drop());
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'example.mjs'), examples.get(name) ?? '');
  const port = await freePort();
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [join(folder, 'example.mjs')], {
    env: { PATH, HOME, DATABASE_URL: database.url, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  endings.push(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return { port, closed, output: () => output };
}

it.each(['http', 'express', 'fastify'])('the example "%s" serves GraphQL, websockets and other paths', async (name) => {
  const { port, output } = await run(name);
  const url = `http://127.0.0.1:${port}`;
  const hello = (): Promise<string> => fetch(`${url}/hello`).then((response) => response.text(), output);
  await expect.poll(hello).toBe('hello');
  const body = JSON.stringify({ query: '{ __typename }' });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/graphql`, { method: 'POST', headers, body });
  expect({ graphql: await response.json(), websocket: await acknowledgment(port) }).toEqual({
    graphql: { data: { __typename: 'query_root' } },
    websocket: 'connection_ack',
  });
});

it.each(['test', 'clock'])('the example "%s" passes', async (name) => {
  const { closed, output } = await run(name);
  const [code] = await closed;
  expect({ code, output: code === 0 ? '' : output() }).toEqual({ code: 0, output: '' });
});

it('no other example is on the page', () => {
  expect([...examples.keys()].sort()).toEqual(['clock', 'express', 'fastify', 'http', 'test']);
});

/** Resolves with the type of the first message of the service. */
async function acknowledgment(port: number): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/graphql`, 'graphql-transport-ws');
  endings.push(() => socket.terminate());
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init' }));
  const [message] = await once(socket, 'message');
  return (JSON.parse(String(message)) as { type: string }).type;
}
