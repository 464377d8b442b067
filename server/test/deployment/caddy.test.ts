/** Requests and subscriptions pass through Caddy with deploy/Caddyfile and TLS, to two real nodes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { isJsonObject } from '../../src/base/json-value.ts';
import { freePort } from '../support/http/free-port.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

/** Present where Debian's `caddy` is installed, as CI does. */
const hasCaddy = spawnSync('caddy', ['version']).status === 0;
const caddyfile = fileURLToPath(new URL('../../../deploy/Caddyfile', import.meta.url));
const adminSecret = 'a-secret-for-tests';

interface Response {
  readonly status: number | undefined;
  readonly body: string;
}

describe.runIf(hasCaddy)('behind Caddy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-caddy-'));
  const authority = join(folder, 'caddy/pki/authorities/local/root.crt');
  const nodes: TestService[] = [];
  let port = 0;
  let caddy: ChildProcess;
  let log = '';

  beforeAll(async () => {
    const first = await startService({ JOINERY_ADMIN_SECRET: adminSecret });
    nodes.push(first, await startService({ JOINERY_ADMIN_SECRET: adminSecret }, first.database));
    const admin = { 'x-service-admin-secret': adminSecret };
    await first.post('/v2/query', { type: 'run_sql', args: { sql: 'create table item (id int primary key)' } }, admin);
    await first.post('/v1/metadata', { type: 'pg_track_table', args: { table: 'item' } }, admin);
    // Behind a pooler the other node receives no notification.
    await until('the second node has the table', async () => {
      const { body } = (await nodes[1]?.post('/v1/graphql', { query: '{ item { id } }' }, admin)) ?? {};
      return isJsonObject(body) && 'data' in body;
    });
    port = await freePort();
    caddy = spawn('caddy', ['run', '--config', caddyfile, '--adapter', 'caddyfile'], {
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
        SITE_ADDRESS: 'localhost',
        HTTP_PORT: String(await freePort()),
        HTTPS_PORT: String(port),
        UPSTREAMS: nodes.map(({ url }) => new URL(url).host).join(' '),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    caddy.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
    await until(
      () => `Caddy has a certificate: ${log}`,
      () => existsSync(authority),
    );
    await until(
      () => `Caddy finds a node: ${log}`,
      async () => (await graphql().catch(() => undefined))?.status === 200,
    );
  });

  afterAll(async () => {
    caddy.kill('SIGTERM');
    await nodes[1]?.stop();
    await nodes[0]?.stop();
    rmSync(folder, { recursive: true });
  });

  /** Sends a request to Caddy. The certificate must be valid for the host name. */
  function send(path: string, body?: unknown): Promise<Response> {
    const headers = { 'content-type': 'application/json', 'x-service-admin-secret': adminSecret };
    return new Promise((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      const sent = request(
        { host: 'localhost', port, path, method, headers, ca: readFileSync(authority), agent: false },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => {
            text += chunk.toString();
          });
          response.on('end', () => resolve({ status: response.statusCode, body: text }));
        },
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  const graphql = () => send('/v1/graphql', { query: '{ __typename }' });

  it('a GraphQL request over https has its result', async () => {
    expect(await graphql()).toEqual({ status: 200, body: '{"data":{"__typename":"query_root"}}' });
  });

  it('a subscription over a websocket has its result', async () => {
    const socket = new WebSocket(`wss://localhost:${port}/v1/graphql`, ['graphql-transport-ws'], {
      ca: readFileSync(authority),
    });
    const frames: { readonly type: string }[] = [];
    socket.on('open', () => {
      const headers = { 'x-service-admin-secret': adminSecret };
      socket.send(JSON.stringify({ type: 'connection_init', payload: { headers } }));
    });
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as { readonly type: string };
      frames.push(frame);
      if (frame.type !== 'connection_ack') return;
      socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 'subscription { item { id } }' } }));
    });
    const result = await until(
      () => `a result arrives: ${JSON.stringify(frames)}`,
      () => frames.find(({ type }) => type === 'next'),
    );
    socket.close();
    expect(result).toEqual({
      type: 'next',
      id: '1',
      payload: { data: { item: [] } },
    });
  });

  it.each([
    '/v1/metadata',
    '/v1/query',
    '/v2/query',
    '/console/',
    '/metrics',
    '/docs/',
    '/v1alpha1/pg_dump',
    '/healthz',
  ])('%s is not published', async (path) => {
    expect((await send(path)).status).toBe(404);
  });

  it('requests succeed while one of the nodes is stopped', async () => {
    await nodes.pop()?.stop();
    // Until the health check has found it.
    await until('all requests succeed', async () => {
      const responses = await Promise.all(Array.from({ length: 10 }, graphql));
      return responses.every(({ status }) => status === 200);
    });
  });
});
