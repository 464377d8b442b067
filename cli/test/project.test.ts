/** Tests of `joinery init` and `joinery dev`, run as processes: a new project runs unchanged. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../server/test/support/http/free-port.ts';
import { joinery } from './support/command.ts';
import { RunningCommand, writeFiles } from './support/running-command.ts';

let folder: string;
let dev: RunningCommand;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-project-'));
  expect(await joinery(['init', folder])).toMatchObject({ code: 0, err: '' });
  const handlers = { HANDLER_URL: `http://127.0.0.1:${await freePort()}` };
  dev = new RunningCommand(['dev', '--project', folder, '--port', '0', '--sink-port', '0'], handlers);
  url = (await dev.until(/GraphQL {2}(\S+)\/v1\/graphql/))[1] ?? '';
  await dev.until(/handlers: listening/);
  await dev.until(/Ready/);
});

afterAll(async () => {
  expect(await dev.stop()).toBe(0);
  await rm(folder, { recursive: true, force: true });
});

async function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const sent = { 'content-type': 'application/json', ...headers };
  const response = await fetch(url + path, { method: 'POST', headers: sent, body: JSON.stringify(body) });
  return response.json();
}

const ann = { 'X-Service-Role': 'user', 'X-Service-User-Id': '1' };

describe('joinery init', () => {
  it('reports an existing file and writes nothing', async () => {
    const other = await mkdtemp(join(tmpdir(), 'joinery-init-'));
    await writeFiles(other, { '.env': 'MINE=1\n' });
    expect(await joinery(['init', other])).toMatchObject({ code: 1, err: expect.stringContaining('.env') });
    expect(await readFile(join(other, '.env'), 'utf8')).toBe('MINE=1\n');
    await expect(readFile(join(other, 'config.yaml'))).rejects.toThrow('ENOENT');
    await rm(other, { recursive: true });
  });

  it('pins its version in package.json', async () => {
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    const written = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    expect(written).toMatchObject({ private: true, dependencies: { joinery: version } });
  });

  it('prints the installation as the first step', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'joinery-init-'));
    const { out } = await joinery(['init', join(parent, 'shop')]);
    expect(out).toMatch(/wrote \S*package\.json\n\nNow:\n {2}cd \S+\n {2}npm install\n {2}npx joinery dev\n$/);
    await rm(parent, { recursive: true });
  });

  it.each([
    ['another dependency', '{"dependencies":{"pg":"8.0.0"}}', /npm install --save-exact joinery@\d+\.\d+\.\d+\n/],
    ['a dependency on joinery', '{"devDependencies":{"joinery":"^0.1.0"}}', /npm install\n/],
    ['no JSON', 'none', /npm install --save-exact joinery@\d+\.\d+\.\d+\n/],
  ])('does not change a package.json with %s, and prints the command that installs', async (_, text, command) => {
    const other = await mkdtemp(join(tmpdir(), 'joinery-init-'));
    await writeFiles(other, { 'package.json': text });
    const { code, out } = await joinery(['init', other]);
    const kept = await readFile(join(other, 'package.json'), 'utf8');
    expect({ code, out, kept }).toEqual({ code: 0, out: expect.stringMatching(command), kept: text });
    await rm(other, { recursive: true });
  });

  it('writes tests of the handlers that pass with the test runner of Node', async () => {
    // NODE_TEST_CONTEXT and NODE_OPTIONS of this process must not reach the test runner.
    const env = { PATH: process.env.PATH };
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap'], {
      cwd: folder,
      env,
    });
    expect(stdout).toMatch(/^# pass 2\n# fail 0$/m);
  });
});

describe('joinery dev', () => {
  it('runs migrations, seeds, metadata and handlers of a new project', async () => {
    const query = 'mutation { placeOrder(sku: "A1") { orderId order { sku } } }';
    expect(await post('/v1/graphql', { query }, ann)).toEqual({
      data: { placeOrder: { orderId: 1, order: { sku: 'A1' } } },
    });
    await dev.until(/request {2}mutation placeOrder as user ok/);
    await dev.until(/call {5}action placeOrder 2xx/);
    await dev.until(/customer 1 gets a review request for order 1/);
  });

  it('prints deliveries and the requests of its webhook sink, whose path selects the response', async () => {
    const args = {
      webhook: '{{SINK_URL}}/503',
      schedule_at: new Date().toISOString(),
      payload: { size: 7 },
      comment: 'try',
    };
    await post('/v1/query', { type: 'create_scheduled_event', args });
    await dev.until(/sink {5}POST \/sink\/503 503/);
    await dev.until(/"size": 7/);
    await dev.until(/delivery \S+ 503 \S+ "try"/);
  });

  it('applies changed files, and reports file and line of an error while the previous metadata is in use', async () => {
    const path = join(folder, 'metadata/databases/default/tables/public_customer.yaml');
    const before = await readFile(path, 'utf8');
    const from = dev.text.length;
    await writeFile(path, `${before}broken: [\n`);
    await dev.until(/public_customer\.yaml:\d+:\d+: /, from);
    const query = '{ customer { name } }';
    expect(await post('/v1/graphql', { query }, ann)).toEqual({ data: { customer: [{ name: 'Ann' }] } });
    const again = dev.text.length;
    await writeFile(path, before.replace('        - name\n', '        - name\n        - email\n'));
    await dev.until(/Applied/, again);
    const wider = { query: '{ customer { email } }' };
    expect(await post('/v1/graphql', wider, ann)).toEqual({ data: { customer: [{ email: 'ann@example.com' }] } });
  });

  it('applies a migration that is created while it runs', async () => {
    const from = dev.text.length;
    await joinery(['migrate', 'create', 'note', '--project', folder, '--up-sql', 'alter table orders add note text']);
    await dev.until(/applied \d+_note on default/, from);
  });
});

describe('joinery dev, for metadata that were changed in the service alone', () => {
  let other: string;
  let running: RunningCommand;
  let endpoint: string;

  beforeAll(async () => {
    other = await mkdtemp(join(tmpdir(), 'joinery-replaced-'));
    await joinery(['init', other]);
    await start();
    await command({ type: 'add_inherited_role', args: { role_name: 'staff', role_set: ['user', 'public'] } });
    expect(await running.stop()).toBe(0);
    await start();
  });

  afterAll(async () => {
    await running.stop();
    await rm(other, { recursive: true });
  });

  async function start(): Promise<void> {
    const handlers = { HANDLER_URL: `http://127.0.0.1:${await freePort()}` };
    running = new RunningCommand(['dev', '--project', other, '--port', '0', '--sink-port', '0'], handlers);
    endpoint = (await running.until(/GraphQL {2}(\S+)\/v1\/graphql/))[1] ?? '';
    await running.until(/Ready/);
  }

  async function command(body: unknown): Promise<unknown> {
    const response = await fetch(`${endpoint}/v1/metadata`, { method: 'POST', body: JSON.stringify(body) });
    return response.json();
  }

  it('lists what the files replace at the next start', () => {
    expect(running.text).toMatch(/The files replace changes .*:\n {2}inherited role staff\n/);
  });

  it('stores a command that restores them', async () => {
    const [copy = ''] = (await readdir(join(other, '.joinery'))).filter((name) => /^metadata-\d+\.json$/.test(name));
    await command(JSON.parse(await readFile(join(other, '.joinery', copy), 'utf8')));
    const exported = await command({ type: 'export_metadata', args: {} });
    expect(exported).toMatchObject({ inherited_roles: [{ role_name: 'staff' }] });
  });

  it('reports nothing where the files have the same changes', async () => {
    expect(await joinery(['metadata', 'export', '--project', other, '--endpoint', endpoint])).toMatchObject({
      code: 0,
    });
    await running.stop();
    await start();
    expect(running.text).not.toMatch(/The files replace changes/);
  });
});

describe('joinery seed create', () => {
  it('creates a file that is applied after the seed of a new project', async () => {
    const other = await mkdtemp(join(tmpdir(), 'joinery-seed-'));
    await joinery(['init', other]);
    expect(await joinery(['seed', 'create', 'more', '--project', other])).toMatchObject({ code: 0, err: '' });
    const files = (await readdir(join(other, 'seeds/default'))).sort();
    expect(files.map((file) => file.replace(/^\d+_/, ''))).toEqual(['customers.sql', 'more.sql']);
    await rm(other, { recursive: true });
  });

  it('warns of seeds whose names sort after the new one', async () => {
    const other = await mkdtemp(join(tmpdir(), 'joinery-seed-'));
    await joinery(['init', other]);
    await writeFiles(other, { 'seeds/default/9_last.sql': 'select 1' });
    const { err } = await joinery(['seed', 'create', 'more', '--project', other]);
    expect(err).toContain('9_last.sql will be applied after this file');
    await rm(other, { recursive: true });
  });
});

describe('joinery dev with a seed that fails', () => {
  async function projectWithWrongSeed(): Promise<string> {
    const other = await mkdtemp(join(tmpdir(), 'joinery-seed-'));
    await joinery(['init', other]);
    await writeFiles(other, { 'seeds/default/1800000000000_wrong.sql': 'insert into no_such_table values (1)' });
    return other;
  }

  it('is not ready until the file is corrected', async () => {
    const other = await projectWithWrongSeed();
    const handlers = { HANDLER_URL: `http://127.0.0.1:${await freePort()}` };
    const running = new RunningCommand(['dev', '--project', other, '--port', '0', '--sink-port', '0'], handlers);
    await running.until(/no_such_table/);
    await running.until(/Not ready/);
    expect(running.text).not.toMatch(/^.*Ready\./m);
    await writeFiles(other, {
      'seeds/default/1800000000000_wrong.sql': "insert into customer (name, email) values ('C', 'c')",
    });
    await running.until(/seeded default from 1800000000000_wrong\.sql/);
    expect(await running.stop()).toBe(0);
    await rm(other, { recursive: true });
  });

  it('ends with exit code 1 if it does not watch files', async () => {
    const other = await projectWithWrongSeed();
    const args = ['dev', '--project', other, '--port', '0', '--sink-port', '0', '--no-watch'];
    const outcome = await joinery(args, { HANDLER_URL: `http://127.0.0.1:${await freePort()}` });
    expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining('no_such_table') });
    await rm(other, { recursive: true });
  });
});
