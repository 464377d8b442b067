/** The documentation over HTTP: pages, their Markdown, files, caching, content security policy, and a service without it. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silent } from '../../src/base/telemetry/observe.ts';
import { handleErrors } from '../../src/http/middleware/errors.ts';
import { docsRoutes } from '../../src/http/routes/docs.ts';
import type { HttpSettings } from '../../src/http/settings.ts';
import { testDatabase } from '../support/database/test-database.ts';
import { startService } from '../support/service/test-service.ts';

const settings = {
  session: { prefix: 'x-service-', adminSecrets: ['hush'], unauthorizedRole: undefined },
  version: '1.2.3',
  internalErrors: 'none',
} as unknown as HttpSettings;

const script = 'document.title="light"';

let directory: string;
let app: FastifyInstance;
let url: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'joinery-docs-'));
  mkdirSync(join(directory, 'dist', 'assets'), { recursive: true });
  mkdirSync(join(directory, 'dist', 'reference'));
  const write = (name: string, text: string) => writeFileSync(join(directory, 'dist', name), text);
  write('assets/app.1a2b.js', 'plain');
  write('assets/app.1a2b.js.gz', 'compressed');
  mkdirSync(join(directory, 'dist', 'assets', 'chunks'));
  write('assets/chunks/@index.3c4d.js', 'a chunk');
  write('index.html', 'the first page');
  write('limits.html', `<script id="theme">${script}</script><script src="/docs/assets/app.1a2b.js"></script>`);
  write('limits.md', '# Limits');
  write('reference/index.html', 'the index of the reference');
  write('404.html', 'no such page');
  write('llms.txt', 'pages');
  writeFileSync(join(directory, 'secret.md'), 'a private file');
  app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  handleErrors(app, settings, silent);
  docsRoutes(app, join(directory, 'dist'));
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await app?.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Requests the path unchanged; `fetch` would resolve dots in it. */
function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { path }, (response) => resolve(response.resume().statusCode))
      .once('error', reject)
      .end();
  });
}

describe('the documentation', () => {
  it.each([
    ['/docs', 'the first page'],
    ['/docs/', 'the first page'],
    ['/docs/reference/', 'the index of the reference'],
    ['/docs/limits.md', '# Limits'],
    ['/docs/llms.txt', 'pages'],
  ])('serves %s', async (path, text) => {
    expect(await (await fetch(url + path)).text()).toBe(text);
  });

  it.each(['/docs/limits', '/docs/limits.html', '/docs/limits?q=1'])('serves the page %s', async (path) => {
    const response = await fetch(url + path);
    expect({ type: response.headers.get('content-type'), text: await response.text() }).toEqual({
      type: 'text/html; charset=utf-8',
      text: expect.stringContaining(script),
    });
  });

  it('returns Markdown to a client that accepts Markdown and not HTML', async () => {
    const response = await fetch(`${url}/docs/limits`, { headers: { accept: 'text/markdown, */*;q=0.1' } });
    expect(await response.text()).toBe('# Limits');
  });

  it('returns HTML to a browser', async () => {
    const accept = 'text/html,application/xhtml+xml,text/markdown;q=0.9';
    const response = await fetch(`${url}/docs/limits`, { headers: { accept } });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('allows the inline scripts of the page by their hashes, and no others', async () => {
    const policy = (await fetch(`${url}/docs/limits`)).headers.get('content-security-policy') ?? '';
    const hash = createHash('sha256').update(script).digest('base64');
    expect(policy.split('; ')).toContain(`script-src 'self' 'sha256-${hash}'`);
  });

  it('forbids content of other origins and frames', async () => {
    const policy = (await fetch(`${url}/docs/limits`)).headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
  });

  it('serves files with a hash as immutable', async () => {
    const { headers } = await fetch(`${url}/docs/assets/app.1a2b.js`);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it('serves files in the encoding that the client accepts', async () => {
    const { headers, body } = await app.inject({
      url: '/docs/assets/app.1a2b.js',
      headers: { 'accept-encoding': 'gzip' },
    });
    expect({ body, encoding: headers['content-encoding'], vary: headers.vary }).toEqual({
      body: 'compressed',
      encoding: 'gzip',
      vary: 'accept-encoding',
    });
  });

  it('serves files that have not been compressed as they are', async () => {
    const { headers, body } = await app.inject({
      url: '/docs/assets/chunks/@index.3c4d.js',
      headers: { 'accept-encoding': 'br, gzip' },
    });
    expect({ body, encoding: headers['content-encoding'] }).toEqual({ body: 'a chunk', encoding: undefined });
  });

  it('responds with a page of its own and 404 for a missing page', async () => {
    const response = await fetch(`${url}/docs/missing`);
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 404, text: 'no such page' });
  });

  it.each(['/docs/missing.md', '/docs/missing.png', '/docs/assets/missing.js'])(
    'responds with an error of the service for the missing file %s',
    async (path) => {
      const response = await fetch(url + path);
      expect({ status: response.status, body: await response.json() }).toMatchObject({
        status: 404,
        body: { code: 'not-found' },
      });
    },
  );

  it.each([
    '/docs/../secret.md',
    '/docs/%2e%2e/secret.md',
    '/docs/..%2fsecret.md',
    '/docs/assets/..%2f..%2fsecret.md',
    '/docs//secret.md',
  ])('serves no file outside of its folder: %s', async (path) => {
    expect(await statusOf(path)).not.toBe(200);
  });

  it('responds with build instructions until it is built', async () => {
    const empty = fastify();
    docsRoutes(empty, join(directory, 'absent'));
    const { statusCode, body } = await empty.inject('/docs/limits');
    await empty.close();
    expect({ statusCode, body }).toEqual({ statusCode: 503, body: expect.stringContaining('npm run build') });
  });
});

describe('a service with the documentation', () => {
  it.each([
    ['serves it by default, without a secret', { JOINERY_ADMIN_SECRET: 'hush' }, 200],
    ['serves it if the console is disabled', { JOINERY_ENABLE_CONSOLE: 'false' }, 200],
    ['does not serve it if it is disabled', { JOINERY_ENABLE_DOCS: 'false' }, 404],
  ])('%s', async (_rule, environment, status) => {
    const database = await testDatabase();
    const service = await startService(environment, database);
    const response = await fetch(`${service.url}/docs/`);
    await service.stop();
    await database.drop();
    expect(response.status).toBe(status);
  });
});
