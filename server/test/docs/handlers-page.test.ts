/** The programs of docs/handlers.md and docs/tutorial.md run as they are written, and behave as their pages say. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { freePort } from '../support/http/free-port.ts';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function program(page: string, name: string): string {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  const code = new RegExp(`^\`\`\`\\w+ run=${name}\\n(.*?)^\`\`\``, 'ms').exec(text)?.[1];
  if (code === undefined) throw new Error(`docs/${page} has no program "${name}"`);
  return code;
}

interface Language {
  readonly file: string;
  readonly command: readonly [string, ...string[]];
}

const languages: Readonly<Record<string, Language>> = {
  node: { file: 'main.mjs', command: [process.execPath] },
  python: { file: 'main.py', command: ['python3'] },
  go: { file: 'main.go', command: ['go', 'run'] },
};
/** Python and Go need not be installed. */
const installed = Object.keys(languages).filter((name) => {
  const [command = ''] = languages[name]?.command ?? [];
  return spawnSync(command, [name === 'go' ? 'version' : '--version']).status === 0;
});

/** Starts a program on a free port. Returns its URL when it responds. */
async function run(code: string, { file, command: [command, ...args] }: Language): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-handlers-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, file), code);
  const port = await freePort();
  const child = spawn(command, [...args, join(folder, file)], {
    env: { ...process.env, PORT: `${port}`, HANDLER_SECRET: 'secret', GOCACHE: join(tmpdir(), 'joinery-go-cache') },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const closed = once(child, 'close');
  endings.push(async () => {
    // `go run` starts another process, which is in the same group.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await closed;
  });
  const url = `http://127.0.0.1:${port}`;
  await until('the program responds', () =>
    post(url, {}).then(
      () => true,
      () => false,
    ),
  );
  return url;
}

async function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const response = await fetch(`${url}/quote-price`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const call = (sku: string): unknown => ({
  action: { name: 'quotePrice' },
  input: { sku, quantity: 2 },
  session_variables: { 'x-service-role': 'user' },
});
const secret = { 'x-handler-secret': 'secret' };

it.each(installed)('the handler in %s responds, rejects an unknown product and an unknown caller', async (name) => {
  const language = languages[name];
  if (language === undefined) throw new Error(`no language ${name}`);
  const url = await run(program('handlers.md', name), language);
  expect([
    await post(url, call('A1'), secret),
    await post(url, call('none'), secret),
    await post(url, call('A1')),
  ]).toEqual([
    { status: 200, body: { sku: 'A1', cents: 1980 } },
    { status: 400, body: { message: 'there is no product none', extensions: { code: 'no-product' } } },
    { status: 401, body: { message: 'unknown caller' } },
  ]);
});

it('the remote schema of the tutorial responds', async () => {
  const url = await run(program('tutorial.md', 'ratings'), { file: 'main.mjs', command: [process.execPath] });
  expect(await post(url, { query: '{ ratings(sku: "A1") { stars text } }' })).toEqual({
    status: 200,
    body: { data: { ratings: [{ stars: 5, text: 'bright' }] } },
  });
});
