/** The console over HTTP: its page, files, caching, content security policy, and a service without console. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silent } from '../../src/base/telemetry/observe.ts';
import { handleErrors } from '../../src/http/middleware/errors.ts';
import { consoleRoutes } from '../../src/http/routes/console.ts';
import type { HttpSettings } from '../../src/http/settings.ts';
import { testDatabase } from '../support/database/test-database.ts';
import { startService } from '../support/service/test-service.ts';

const settings = {
  session: { prefix: 'x-service-', adminSecrets: ['hush'], unauthorizedRole: undefined },
  version: '1.2.3',
  internalErrors: 'none',
} as unknown as HttpSettings;

let directory: string;
let app: FastifyInstance;
let url: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'joinery-console-'));
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'assets', 'index-1a2b.js'), 'plain');
  writeFileSync(join(directory, 'assets', 'index-1a2b.js.gz'), 'compressed');
  writeFileSync(join(directory, 'secret.txt'), 'a private file');
  app = fastify();
  handleErrors(app, settings, silent);
  await consoleRoutes(app, directory, { headerPrefix: 'x-service-', version: '1.2.3', secretRequired: true });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await app?.close();
  rmSync(directory, { recursive: true, force: true });
});

const nonceIn = (text: string): string | undefined =>
  /nonce-([^']+)'|content="([^"]+)"/.exec(text)?.slice(1).find(Boolean);

/** Requests the path unchanged; `fetch` would resolve dots in it. */
function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { path }, (response) => resolve(response.resume().statusCode))
      .once('error', reject)
      .end();
  });
}

describe('the console', () => {
  it('responds with build instructions until it is built', async () => {
    const before = await fetch(`${url}/console`);
    expect(before.status).toBe(503);
    expect(await before.text()).toContain('npm run build');
    writeFileSync(join(directory, 'index.html'), '<meta name="style-nonce" content="__STYLE_NONCE__">');
    expect((await fetch(`${url}/console`)).status).toBe(200);
  });

  it('serves one page for every path, uncached, with a nonce for each response', async () => {
    const nonces = new Set<string | undefined>();
    for (const path of ['/console', '/console/', '/console/events/one-off/pending', '/console?page=a.b']) {
      const response = await fetch(url + path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('etag')).toBeNull();
      const nonce = nonceIn(await response.text());
      expect(nonceIn(response.headers.get('content-security-policy') ?? '')).toBe(nonce);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(4);
  });

  it('forbids content of other origins, inline scripts and frames', async () => {
    const policy = (await fetch(`${url}/console`)).headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it('serves files with a hash as immutable, in an encoding that the client accepts', async () => {
    const get = (encoding: string) =>
      app.inject({ url: '/console/assets/index-1a2b.js', headers: { 'accept-encoding': encoding } });
    const plain = await get('identity');
    expect(plain.body).toBe('plain');
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['x-content-type-options']).toBe('nosniff');
    const compressed = await get('gzip');
    expect(compressed.body).toBe('compressed');
    expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  });

  it('responds with 404 for a missing file, not with the page', async () => {
    for (const path of ['/console/assets/index-missing.js', '/console/favicon.ico', '/console/assets/']) {
      const response = await fetch(url + path);
      expect({ path, status: response.status, body: await response.json() }).toMatchObject({
        status: 404,
        body: { code: 'not-found' },
      });
    }
  });

  it('serves no files outside of its assets', async () => {
    for (const path of ['/console/assets/../secret.txt', '/console/assets/%2e%2e/secret.txt', '/console/secret.txt']) {
      expect(await statusOf(path)).not.toBe(200);
    }
  });

  it('serves the configuration of the page without secrets', async () => {
    const response = await fetch(`${url}/console/config.json`);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(await response.json()).toEqual({ headerPrefix: 'x-service-', version: '1.2.3', secretRequired: true });
  });
});

describe('a service with the console', () => {
  it.each([
    ['serves it by default', {}, 200],
    ['does not serve it if it is disabled', { JOINERY_ENABLE_CONSOLE: 'false' }, 404],
    ['does not serve it if it is not a component of the process', { JOINERY_COMPONENTS: 'api,events' }, 404],
  ])('%s', async (_rule, environment, status) => {
    const database = await testDatabase();
    const service = await startService({ ...environment, JOINERY_HEADER_PREFIX: 'X-Hasura-' }, database);
    const response = await fetch(`${service.url}/console/config.json`);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject(
      status === 200 ? { headerPrefix: 'x-hasura-', secretRequired: false } : { code: 'not-found' },
    );
    if (status === 404) expect((await fetch(`${service.url}/console`)).status).toBe(404);
    await service.stop();
    await database.drop();
  });
});
