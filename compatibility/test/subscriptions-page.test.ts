/** The clients of docs/subscriptions-react.md run as they are written, with Apollo Client and urql. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ApolloClient } from '@apollo/client';
import type { Client as Urql } from '@urql/core';
import type { DocumentNode } from 'graphql';
import type { Client as Socket } from 'graphql-ws';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';

interface ApolloModule {
  readonly client: ApolloClient;
  readonly MESSAGES: DocumentNode;
  followMessages(after: number): () => void;
}

const local = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const key = 'a key of at least thirty-two characters';
const admin = { 'x-service-admin-secret': 'only for these tests' };
const sent = fetch;
let folder: string;
let service: TestService;
let socket: Socket;

async function token(): Promise<Response> {
  const claims = { 'x-service-default-role': 'user', 'x-service-allowed-roles': ['user'], 'x-service-user-id': 'bob' };
  const value = await new SignJWT({ 'https://hasura.io/jwt/claims': claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(key));
  return Response.json({ value, expiresAt: Date.now() + 3_600_000 });
}

function load<T>(name: string): Promise<T> {
  return import(pathToFileURL(join(folder, name)).href) as Promise<T>;
}

beforeAll(async () => {
  const page = await readFile(local('../../docs/subscriptions-react.md'), 'utf8');
  const secrets = { JOINERY_ADMIN_SECRET: admin['x-service-admin-secret'] };
  service = await startService({ ...secrets, JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key }) });
  const [, sql = ''] = /^```sql run\n(.*?)^```$/ms.exec(page) ?? [];
  const [, metadata = ''] = /^```json command\n(.*?)^```$/ms.exec(page) ?? [];
  await service.post('/v2/query', { type: 'run_sql', args: { sql } }, admin);
  await service.post('/v1/metadata', metadata, admin);
  // Below `node_modules`, so that the files find the packages and no tool reads them.
  const cache = local('../node_modules/.cache/');
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, 'subscriptions-page-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const [, name = '', code = ''] of page.matchAll(/^```js file=src\/(\S+)\n(.*?)^```$/gms)) {
    await writeFile(join(folder, name), code.replaceAll('http://127.0.0.1:8080', service.url));
  }
  vi.stubGlobal('WebSocket', WebSocket);
  vi.stubGlobal('fetch', (url: string, options?: RequestInit) => (url === '/token' ? token() : sent(url, options)));
  ({ socket } = await load<{ readonly socket: Socket }>('socket.js'));
});

afterAll(async () => {
  await socket?.dispose();
  vi.unstubAllGlobals();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

const insert = (body: string): Promise<unknown> =>
  service.post(
    '/v1/graphql',
    { query: `mutation { insert_message_one(object: { room: "lobby", author: "ann", body: "${body}" }) { id } }` },
    { ...admin, 'x-service-role': 'admin' },
  );

test('Apollo Client adds the rows of the stream to the cached list', async () => {
  const { client, MESSAGES, followMessages } = await load<ApolloModule>('apollo.js');
  await client.query({ query: MESSAGES });
  const stop = followMessages(0);
  await insert('from Apollo');
  const bodies = (): string[] | undefined =>
    client.cache.readQuery<{ message: { body: string }[] }>({ query: MESSAGES })?.message.map(({ body }) => body);
  await expect.poll(bodies).toEqual(['hello', 'from Apollo']);
  stop();
});

test('urql queries over HTTP and subscribes over the websocket', async () => {
  const { client } = await load<{ readonly client: Urql }>('urql.js');
  const { data, error } = await client.query('{ message(limit: 1) { author } }', {}).toPromise();
  expect({ data, error }).toMatchObject({ data: { message: [{ author: 'ann' }] } });
  const last: unknown[] = [];
  const { unsubscribe } = client
    .subscription('subscription { message(order_by: { id: desc }, limit: 1) { body } }', {})
    .subscribe((result) => last.push(result.data?.message[0].body));
  await expect.poll(() => last.length).toBeGreaterThan(0);
  await insert('from urql');
  await expect.poll(() => last.at(-1)).toBe('from urql');
  unsubscribe();
});
