/** The commands of docs/backup-upgrade.md run as they are written, against Debian's PostgreSQL, whose tools they need. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVersion } from '../support/database/version-server.ts';
import { freePort } from '../support/http/free-port.ts';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(root, 'docs/backup-upgrade.md'), 'utf8');
const debian = '/usr/lib/postgresql';
const bin = (existsSync(debian) ? readdirSync(debian) : [])
  .map((version) => join(debian, version, 'bin'))
  .find((folder) => existsSync(join(folder, 'pg_restore')));

const endings: (() => unknown)[] = [];
const calls: string[] = [];
let environment: Record<string, string>;
let project: string;
let service: string;
let copy: string;

interface Output {
  readonly status: number | null;
  readonly text: string;
}

/** Returns the block of the page, with the addresses of this test. */
function block(name: string): string {
  const [, script] = new RegExp(`^\`\`\`bash run=${name}\n(.*?)^\`\`\``, 'ms').exec(page) ?? [];
  if (script === undefined) throw new Error(`the page has no block "${name}"`);
  return script.replaceAll('http://127.0.0.1:8081', copy).replaceAll('8081', new URL(copy).port);
}

/** Runs a script in the project. */
function shell(script: string): Output {
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', script], {
    cwd: project,
    env: environment,
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
}

/** Starts a script that runs a node, and waits until the node is ready. */
async function startNode(script: string, url: string): Promise<void> {
  // Its processes are one group, which is stopped together.
  const child = spawn('bash', ['-c', script], { cwd: project, env: environment, stdio: 'ignore', detached: true });
  const closed = once(child, 'close');
  endings.push(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await closed;
  });
  await until(`the node at ${url} is ready`, () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

async function command(url: string, type: string, args: unknown): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ type, args });
  const response = await fetch(`${url}/v1/query`, { method: 'POST', body });
  return (await response.json()) as Record<string, unknown>;
}

async function statusOf(url: string, key: string): Promise<unknown> {
  const { event } = (await command(url, 'get_scheduled_event', { key })) as { readonly event: { status: string } };
  return event.status;
}

async function startReceiver(): Promise<Server> {
  const receiver = createServer((request, response) => {
    calls.push(request.url ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  return receiver;
}

// Without Debian's PostgreSQL the commands cannot be run.
describe.runIf(bin !== undefined)('the commands of the page', () => {
  beforeAll(async () => {
    const server = startVersion(bin ?? '', await freePort());
    endings.push(() => server.stop());
    const [port, copyPort] = [await freePort(), await freePort()];
    [service, copy] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${copyPort}`];
    const database = (name: string): string => Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
    const { HOME = '', PATH = '' } = process.env;
    environment = {
      HOME,
      PATH: `${bin}:${join(root, 'node_modules/.bin')}:${PATH}`,
      JOINERY_DATABASE_URL: database('shop'),
      COPY_URL: database('shop_copy'),
      JOINERY_ENDPOINT: service,
      JOINERY_LOG_LEVEL: 'warn',
      HANDLER_URL: 'http://127.0.0.1:9',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@example.com',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@example.com',
    };
    project = mkdtempSync(join(tmpdir(), 'joinery-backup-'));
    endings.push(() => rmSync(project, { recursive: true, force: true }));
    expect(shell('joinery init . && rm .env').status).toBe(0);
    // The tables of a user with the name of the schema `joinery` would be created in it.
    const create = `psql --quiet '${server.url}' -c 'alter role joinery set search_path = public' -c 'create database shop'`;
    expect(shell(create)).toEqual({ status: 0, text: '' });
    await startNode(`joinery serve --port ${port}`, service);
    expect(shell('joinery deploy --seed').status).toBe(0);
    const receiver = await startReceiver();
    endings.push(() => receiver.close());
    const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    for (const key of ['before', 'repeated', 'pending']) {
      const schedule_at = new Date(Date.now() + 3_600_000).toISOString();
      await command(service, 'create_scheduled_event', { webhook: `${origin}/${key}`, schedule_at, payload: {}, key });
    }
    await command(service, 'run_scheduled_event_now', { key: 'before' });
    await until('the event is delivered', async () => (await statusOf(service, 'before')) === 'delivered');
    expect(shell(block('backup'))).toEqual({ status: 0, text: '' });
    await command(service, 'run_scheduled_event_now', { key: 'repeated' });
    await until('the event is delivered', async () => (await statusOf(service, 'repeated')) === 'delivered');
    expect(shell(block('restore'))).toEqual({ status: 0, text: '' });
    await startNode(block('hold'), copy);
  });

  afterAll(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });

  it('restore the tables and the metadata', async () => {
    const response = await fetch(`${copy}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-role': 'user', 'x-service-user-id': '1' },
      body: JSON.stringify({ query: '{ customer { name } }' }),
    });
    expect(await response.json()).toEqual({ data: { customer: [{ name: 'Ann' }] } });
  });

  it('restore an event as pending that was delivered after the backup, and no other one', async () => {
    const states = await Promise.all(['before', 'repeated', 'pending'].map((key) => statusOf(copy, key)));
    expect(states).toEqual(['delivered', 'scheduled', 'scheduled']);
  });

  it('hold the delivery, and cancel what is listed', async () => {
    await command(copy, 'run_scheduled_event_now', { key: 'repeated' });
    const { status, text } = shell(block('look'));
    expect({ status, listed: text.includes('/repeated') && text.includes('/pending') }).toEqual({
      status: 0,
      listed: true,
    });
    const states = await Promise.all(['repeated', 'pending'].map((key) => statusOf(copy, key)));
    expect({ states, calls }).toEqual({ states: ['cancelled', 'cancelled'], calls: ['/before', '/repeated'] });
  });

  it('return to the metadata of the commit before', async () => {
    const file = join(project, 'metadata/databases/default/tables/public_customer.yaml');
    const before = readFileSync(file, 'utf8');
    expect(shell('git init -q && git add --all && git commit -q -m one').status).toBe(0);
    writeFileSync(file, before.replace('        - name\n', ''));
    expect(shell('git commit -q -a -m two && joinery metadata apply').status).toBe(0);
    const { status, text } = shell(block('metadata'));
    expect({ status, diff: text.includes('select_permissions user'), file: readFileSync(file, 'utf8') }).toEqual({
      status: 0,
      diff: true,
      file: before,
    });
  });
});

it('the page quotes the error of a node whose version is too old', () => {
  const source = readFileSync(join(root, 'server/src/postgres/migrations/migrate.ts'), 'utf8');
  const [, message = ''] = /`(the schema joinery of this database .*)`/.exec(source) ?? [];
  const pattern = message.replaceAll(/[.()]/g, '\\$&').replaceAll(/\$\{\w+\}/g, '\\d+');
  expect(page).toMatch(new RegExp(pattern));
});
