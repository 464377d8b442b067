/** The component of docs/subscriptions-react.md, built as an application, in a browser. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(root, 'docs/subscriptions-react.md'), 'utf8');
const key = 'a key of at least thirty-two characters';
const secret = 'only for these tests';
const tokens: number[] = [];

let folder: string;
let browser: Browser;
let service: Service;
let application: Server;

function token(seconds: number): { readonly value: string; readonly expiresAt: number } {
  const expires = Math.floor(Date.now() / 1000) + seconds;
  const claims = { 'x-service-default-role': 'user', 'x-service-allowed-roles': ['user'], 'x-service-user-id': 'bob' };
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ alg: 'HS256' })}.${encode({ exp: expires, 'https://hasura.io/jwt/claims': claims })}`;
  const signature = createHmac('sha256', key).update(text).digest('base64url');
  return { value: `${text}.${signature}`, expiresAt: expires * 1000 };
}

async function run(sql: string): Promise<void> {
  const response = await fetch(`${service.url}/v2/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-role': 'admin', 'x-service-admin-secret': secret },
    body: JSON.stringify({ type: 'run_sql', args: { sql } }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Builds the files of the page. They are below `console/`, where the packages are found. */
async function buildApplication(): Promise<string> {
  for (const [, name = '', code = ''] of page.matchAll(/^```jsx? file=(\S+)\n(.*?)^```$/gms)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), code);
  }
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/src/main.jsx"></script>',
  );
  const { build } = await import('vite');
  writeFileSync(join(folder, '.env'), `VITE_SERVICE_URL=${service.url}\n`);
  await build({ root: folder, configFile: false, logLevel: 'warn', build: { outDir: 'out' } });
  return join(folder, 'out');
}

beforeAll(async () => {
  folder = mkdtempSync(join(root, 'console/node_modules/.react-page-'));
  const jwt = JSON.stringify({ type: 'HS256', key, claims_namespace: 'https://hasura.io/jwt/claims' });
  const settings = { JOINERY_ADMIN_SECRET: secret, JOINERY_JWT_SECRET: jwt };
  [browser, service] = await Promise.all([
    startBrowser(),
    startService({ ...settings, JOINERY_HEADER_PREFIX: 'X-Service-' }),
  ]);
  const [, sql = ''] = /^```sql run\n(.*?)^```$/ms.exec(page) ?? [];
  const [, metadata = ''] = /^```json command\n(.*?)^```$/ms.exec(page) ?? [];
  await run(sql);
  const { type, args } = JSON.parse(metadata) as { readonly type: string; readonly args: unknown };
  await service.command(type, args);
  const files = await buildApplication();
  application = createServer((request, response) => {
    if (request.url === '/token') {
      // The first token expires soon, so that the connection is closed and opened again with another one.
      const issued = token(tokens.length === 0 ? 4 : 600);
      tokens.push(issued.expiresAt);
      response.end(JSON.stringify(issued));
      return;
    }
    const path = request.url === '/' ? '/index.html' : (request.url ?? '');
    response.setHeader('content-type', path.endsWith('.js') ? 'text/javascript' : 'text/html');
    response.end(readFileSync(join(files, path)));
  }).listen(0, '127.0.0.1');
  await once(application, 'listening');
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  application?.close();
  rmSync(folder, { recursive: true, force: true });
});

const insert = (body: string): Promise<void> =>
  run(`insert into message (room, author, body) values ('lobby', 'ann', '${body}')`);

async function open(): Promise<Page> {
  const opened = await browser.newPage();
  await opened.goto(`http://127.0.0.1:${(application.address() as AddressInfo).port}/`);
  await opened.getByText('connected', { exact: true }).waitFor();
  return opened;
}

const messages = (opened: Page): Promise<string[]> => opened.locator('li').allTextContents();

test('the component shows each message once, also after its token has expired and it has reconnected', async () => {
  const opened = await open();
  await expect.poll(() => messages(opened)).toEqual(['ann: hello']);
  await opened.getByRole('textbox').fill('hi');
  await opened.getByRole('button').click();
  await expect.poll(() => messages(opened)).toEqual(['ann: hello', 'bob: hi']);
  await opened.getByRole('heading', { name: 'Lobby: 2 messages' }).waitFor();
  await expect.poll(() => tokens.length).toBe(2);
  await insert('again');
  await expect.poll(() => messages(opened)).toEqual(['ann: hello', 'bob: hi', 'ann: again']);
  await opened.close();
});

test('the component connects again after the service was restarted', async () => {
  const opened = await open();
  await service.interrupt();
  await opened.getByText('connecting', { exact: true }).waitFor();
  await service.resume();
  await opened.getByText('connected', { exact: true }).waitFor();
  await insert('back');
  await expect.poll(async () => (await messages(opened)).at(-1)).toBe('ann: back');
  expect(await messages(opened)).toEqual(['ann: hello', 'bob: hi', 'ann: again', 'ann: back']);
  await opened.close();
});
