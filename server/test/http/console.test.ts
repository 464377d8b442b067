/** The console over HTTP: its page and files, how they are cached, what a browser may load, when there is none. */
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
  writeFileSync(join(directory, 'assets', 'index-1a2b.js.gz'), 'squeezed');
  writeFileSync(join(directory, 'secret.txt'), 'not for everybody');
  app = fastify();
  handleErrors(app, settings, silent);
  await consoleRoutes(app, directory, settings);
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await app?.close();
  rmSync(directory, { recursive: true, force: true });
});

const nonceIn = (text: string): string | undefined =>
  /nonce-([^']+)'|content="([^"]+)"/.exec(text)?.slice(1).find(Boolean);

/** The path as it is: fetch would resolve the dots in it. */
function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { path }, (response) => resolve(response.resume().statusCode))
      .once('error', reject)
      .end();
  });
}

describe('the console', () => {
  it('says how to build it where it has not been built, and is there once it is', async () => {
    const before = await fetch(`${url}/console`);
    expect(before.status).toBe(503);
    expect(await before.text()).toContain('npm run build');
    writeFileSync(join(directory, 'index.html'), '<meta name="style-nonce" content="__STYLE_NONCE__">');
    expect((await fetch(`${url}/console`)).status).toBe(200);
  });

  it('has one page for every path, asked for each time, with a nonce of its own', async () => {
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

  it('lets a browser load nothing from elsewhere, run no script in the page, and frame it nowhere', async () => {
    const policy = (await fetch(`${url}/console`)).headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it('keeps files with a hash for ever, in the form that the client can read', async () => {
    const get = (encoding: string) =>
      app.inject({ url: '/console/assets/index-1a2b.js', headers: { 'accept-encoding': encoding } });
    const plain = await get('identity');
    expect(plain.body).toBe('plain');
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['x-content-type-options']).toBe('nosniff');
    const squeezed = await get('gzip');
    expect(squeezed.body).toBe('squeezed');
    expect(squeezed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  });

  it('answers 404 for a file that is not there, not the page', async () => {
    for (const path of ['/console/assets/index-gone.js', '/console/favicon.ico', '/console/assets/']) {
      const response = await fetch(url + path);
      expect({ path, status: response.status, body: await response.json() }).toMatchObject({
        status: 404,
        body: { code: 'not-found' },
      });
    }
  });

  it('serves nothing from outside its assets', async () => {
    for (const path of ['/console/assets/../secret.txt', '/console/assets/%2e%2e/secret.txt', '/console/secret.txt']) {
      expect(await statusOf(path)).not.toBe(200);
    }
  });

  it('tells the page how to speak to the service, and no secret', async () => {
    const response = await fetch(`${url}/console/config.json`);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(await response.json()).toEqual({ headerPrefix: 'x-service-', version: '1.2.3', secretRequired: true });
  });
});

describe('a service', () => {
  it.each([
    ['serves it unless told otherwise', {}, 200],
    ['does not serve it when it is switched off', { JOINERY_ENABLE_CONSOLE: 'false' }, 404],
    ['does not serve it when it is no component of the process', { JOINERY_COMPONENTS: 'api,events' }, 404],
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
