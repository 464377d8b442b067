/** Tests of `joinery types` and `joinery doctor`, run as processes against a service. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { joinery } from './support/command.ts';
import { writeFiles } from './support/running-command.ts';

let service: TestService;
let handlers: Server;
let folder: string;

beforeAll(async () => {
  handlers = createServer((_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => {
    handlers.listen(0, '127.0.0.1', resolve);
  });
  const handlerUrl = `http://127.0.0.1:${(handlers.address() as AddressInfo).port}`;
  service = await startService(
    { HANDLER_URL: handlerUrl },
    {
      sql: `create table customer (id int primary key, name text, email text);
            create table orders (id int primary key, customer_id int references customer, "Sku" text)`,
    },
  );
  folder = await mkdtemp(join(tmpdir(), 'joinery-types-'));
  await writeFiles(folder, {
    'config.yaml': `version: 3\nendpoint: ${service.url}\n`,
    'metadata/version.yaml': 'version: 3\n',
    '.env': `HANDLER_URL=${handlerUrl}\n`,
  });
  await service.command('bulk', [
    { type: 'track_table', args: 'customer' },
    { type: 'track_table', args: 'orders' },
    select('user', ['id', 'name']),
    select('manager', ['id', 'email']),
    {
      type: 'create_array_relationship',
      args: {
        table: 'customer',
        name: 'orders',
        using: { foreign_key_constraint_on: { table: 'orders', column: 'customer_id' } },
      },
    },
    {
      type: 'create_action',
      args: { name: 'place', definition: { output_type: 'String', handler: '{{HANDLER_URL}}/place' } },
    },
    {
      type: 'create_cron_trigger',
      args: {
        name: 'nightly',
        webhook: '{{HANDLER_URL}}/nightly',
        schedule: '0 0 * * *',
        payload: { kind: 'all', sizes: [1, 2], 'a-b': null },
        include_in_metadata: true,
      },
    },
  ]);
});

afterAll(async () => {
  await service.stop();
  handlers.close();
  await rm(folder, { recursive: true, force: true });
});

const select = (role: string, columns: readonly string[]) => ({
  type: 'create_select_permission',
  args: { table: 'customer', role, permission: { columns, filter: {} } },
});
const run = (...args: string[]) => joinery([...args, '--project', folder]);

describe('joinery types', () => {
  it('writes the schema of a role as SDL with the fields that the role may select', async () => {
    const { out, err, code } = await run('types', 'schema', '--role', 'user');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(Object.keys((buildSchema(out).getType('customer') as never as { getFields(): object }).getFields())).toEqual(
      ['id', 'name'],
    );
  });

  it('prints the differences of two roles and of a file and a service, and which ones break requests', async () => {
    const roles = await run('types', 'diff', 'user', 'manager');
    expect(roles.out).toMatch(/^\+ customer\.email: String$/m);
    expect(roles.out).toMatch(/^- customer\.name: String$/m);
    const file = join(folder, 'user.graphql');
    expect((await run('types', 'schema', '--role', 'user', '--out', file)).code).toBe(0);
    expect(await run('types', 'diff', file, 'user', '--fail-on-breaking')).toMatchObject({
      code: 0,
      out: 'No differences.\n',
    });
    const breaking = await run(
      'types',
      'diff',
      file,
      service.url,
      '--role',
      'manager',
      '--fail-on-breaking',
      '-o',
      'json',
    );
    expect(breaking.code).toBe(1);
    expect(JSON.parse(breaking.out).breaking).toContain('customer.name was removed.');
  });

  it('warns of a role without permissions, and reports a file that cannot be read', async () => {
    expect((await run('types', 'schema', '--role', 'guest')).err).toBe('The role "guest" has no permissions.\n');
    expect(await run('types', 'diff', 'gone.graphql', 'user')).toMatchObject({
      code: 1,
      err: expect.stringContaining('gone.graphql does not exist'),
    });
  });

  it('writes types of the calls of cron triggers, and of handlers', async () => {
    expect((await run('types', 'webhooks')).out).toContain(
      '  "nightly": {\n    kind: string;\n    sizes: number[];\n    "a-b": null;\n  };\n',
    );
    expect((await run('types', 'handlers')).out).toContain('export interface');
  });
});

describe('joinery doctor', () => {
  const findings = async (...args: string[]) => {
    const { out, code } = await run('doctor', '-o', 'json', ...args);
    const { findings: found } = JSON.parse(out) as { findings: { status: string; message: string; advice?: string }[] };
    return { code, wrong: found.filter(({ status }) => status !== 'ok'), found };
  };

  it('reports a missing index, and that it was created', async () => {
    const first = await findings();
    expect(first).toMatchObject({
      code: 0,
      wrong: [{ status: 'warning', advice: 'create index concurrently on public.orders (customer_id)' }],
    });
    expect((await run('doctor', '--strict')).code).toBe(1);
    await service.database.database.query({ text: 'create index by_customer on orders (customer_id, id)', values: [] });
    expect((await findings('--strict')).wrong).toEqual([]);
  });

  it('reports unreachable handlers and inconsistent objects', async () => {
    const reachable = await readFile(join(folder, '.env'), 'utf8');
    await writeFiles(folder, { '.env': 'HANDLER_URL=http://127.0.0.1:1\n' });
    await service.database.database.query({ text: 'alter table customer drop column name cascade', values: [] });
    await service.command('reload_metadata', {});
    const { code, wrong } = await findings();
    expect(code).toBe(1);
    expect(wrong.map(({ message }) => message)).toEqual([
      expect.stringContaining('cannot be used'),
      expect.stringContaining('http://127.0.0.1:1 (action "place") cannot be reached'),
    ]);
    await writeFiles(folder, { '.env': reachable });
  });

  it('warns of members without effect, and recommends replacements', async () => {
    const metadata = (await service.command('export_metadata', {})) as object;
    const unread = { metrics_config: { analyze_query_variables: true }, network: {} };
    await service.command('replace_metadata', {
      metadata: { ...metadata, ...unread },
      allow_inconsistent_metadata: true,
    });
    const { wrong } = await findings();
    expect(wrong.filter(({ status }) => status === 'warning')).toEqual([
      {
        check: 'metadata',
        status: 'warning',
        message: expect.stringMatching(/"metrics_config" has no effect \(\$\.metrics_config\)$/),
        advice: expect.stringContaining(`${service.url}/docs/metrics`),
      },
    ]);
    await service.command('replace_metadata', { metadata, allow_inconsistent_metadata: true });
  });

  it('warns of REST endpoints that run a mutation for GET requests', async () => {
    const metadata = (await service.command('export_metadata', {})) as object;
    const queries = [
      { name: 'place', query: 'mutation { place }' },
      { name: 'read', query: '{ orders { id } }' },
    ];
    const endpoint = (name: string, methods: readonly string[]) => ({
      name: `${name} ${methods.join()}`,
      url: `${name}/${methods.join('/')}`,
      methods,
      definition: { query: { collection_name: 'stored', query_name: name } },
    });
    const rest_endpoints = [endpoint('place', ['GET', 'POST']), endpoint('place', ['PUT']), endpoint('read', ['GET'])];
    const stored = { query_collections: [{ name: 'stored', definition: { queries } }], rest_endpoints };
    await service.command('replace_metadata', {
      metadata: { ...metadata, ...stored },
      allow_inconsistent_metadata: true,
    });
    const { wrong } = await findings();
    expect(wrong.filter(({ message }) => message.includes('GET'))).toEqual([
      expect.objectContaining({ status: 'warning', message: expect.stringContaining('"place GET,POST"') }),
    ]);
    await service.command('replace_metadata', { metadata, allow_inconsistent_metadata: true });
  });

  it('gives a hint if the service is unreachable, and if the configuration cannot be read', async () => {
    const away = await joinery(['doctor', '--project', folder, '--endpoint', 'http://127.0.0.1:1']);
    expect(away).toMatchObject({ code: 1, out: expect.stringContaining('joinery serve') });
    await writeFiles(folder, { 'config.yaml': 'version: [\n' });
    expect(await run('doctor')).toMatchObject({ code: 1, out: expect.stringMatching(/config\.yaml:\d+:\d+/) });
  });
});
