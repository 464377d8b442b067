import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testDatabase } from '../../server/test/support/database/test-database.ts';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { joinery } from './support/command.ts';
import { RunningCommand } from './support/running-command.ts';

const bin = fileURLToPath(new URL('../bin/joinery.mjs', import.meta.url));

describe('joinery', () => {
  it('prints its version and its help', async () => {
    expect((await joinery(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await joinery(['--help'])).out).toContain('joinery serve');
    expect((await joinery(['serve', '--help'])).out).toContain('JOINERY_POOL_SIZE');
  });

  it('suggests the nearest command', async () => {
    expect(await joinery(['serv'])).toMatchObject({ code: 1, err: expect.stringContaining('serve') });
  });
});

describe('joinery serve', () => {
  it('--print-config prints the effective settings with masked secrets', async () => {
    const { out } = await joinery(['serve', '--print-config', '--port', '9999'], { JOINERY_ADMIN_SECRET: 'hunter2' });
    expect(out).toContain('JOINERY_PORT=9999');
    expect(out).not.toContain('hunter2');
  });

  it('reads the variables of Hasura v2 with the flag --hasura-env', async () => {
    const { out } = await joinery(['serve', '--hasura-env', '--print-config'], { HASURA_GRAPHQL_SERVER_PORT: '9000' });
    expect(out).toContain('JOINERY_PORT=9000');
    expect(out).toContain('JOINERY_HEADER_PREFIX=x-hasura-');
  });

  it.each([
    [[], { JOINERY_PROT: '1' }, 'JOINERY_PROT is not a setting of Joinery; did you mean JOINERY_PORT?'],
    [['--port', 'many'], {}, '--port: must be a port number'],
    [['--host', '0.0.0.0'], {}, 'JOINERY_ADMIN_SECRET'],
    [['--database-url', 'postgres://127.0.0.1:1/none'], { JOINERY_DATABASE_WAIT: '0' }, 'database'],
  ])('rejects %j and %j with a reason', async (flags, environment, message) => {
    const outcome = await joinery(['serve', ...flags], environment);
    expect(outcome.code).toBe(1);
    expect(outcome.err).toContain(message);
    expect(outcome.err).not.toContain('    at ');
  });
});

describe('joinery serve with variables of Hasura v2', () => {
  it('logs one warning that lists the ignored variables', async () => {
    const database = await testDatabase();
    const variables = { HASURA_GRAPHQL_ADMIN_SECRET: 'hunter2', JOINERY_DATABASE_URL: database.url };
    const serve = new RunningCommand(['serve', '--port', '0'], variables);
    await serve.until(/listening on/);
    expect(await serve.stop()).toBe(0);
    expect(serve.text.match(/HASURA_GRAPHQL_ADMIN_SECRET \(JOINERY_ADMIN_SECRET\)/g)).toHaveLength(1);
    await database.drop();
  });
});

describe('joinery serve on a port that is in use', () => {
  it('names the port and the flag that changes it', async () => {
    const database = await testDatabase();
    const server = createServer().listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const outcome = await joinery(['serve', '--port', `${port}`], { JOINERY_DATABASE_URL: database.url });
      expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining(`port ${port} on 127.0.0.1 is already`) });
      expect(outcome.err).toContain('--port or JOINERY_PORT');
    } finally {
      server.close();
      await database.drop();
    }
  });
});

describe('a command whose output is not read', () => {
  it.each([['serve --help'], ['completion bash'], ['serve --print-config'], ['events tail']])(
    'ends without an error: joinery %s',
    async (command) => {
      const service = await startService({});
      const endpoint = command.startsWith('events') ? ` --endpoint ${service.url}` : '';
      try {
        // "true" exits at once, so that the pipe has no reader when the command writes.
        const line = `"$0" "$1" ${command}${endpoint} | true; exit "\${PIPESTATUS[0]}"`;
        const options = { encoding: 'utf8', env: { PATH: process.env.PATH } } as const;
        const outcome = await promisify(execFile)('bash', ['--norc', '-c', line, process.execPath, bin], options);
        expect(outcome.stderr).toBe('');
      } finally {
        await service.stop();
      }
    },
  );
});

describe('joinery metadata apply', () => {
  let service: TestService;
  let folder: string;

  beforeEach(async () => {
    service = await startService(
      { SHOP_URL: 'http://127.0.0.1:9' },
      { sql: 'create table customer (id int primary key, name text)' },
    );
    folder = await mkdtemp(join(tmpdir(), 'joinery-metadata-'));
    for (const [file, text] of Object.entries(directory)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }
  });

  afterEach(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const apply = (...more: string[]) =>
    joinery(['metadata', 'apply', '--dir', folder, '--endpoint', service.url, ...more]);

  it('applies tables, actions and the relationships of actions.yaml', async () => {
    expect(await apply()).toMatchObject({ code: 0, err: '' });
    const schema = await service.graphql('{ __type(name: "OrderResult") { fields { name type { name } } } }');
    expect(schema).toMatchObject({
      data: {
        __type: {
          fields: [{ name: 'customer', type: { name: 'customer' } }, { name: 'customerId' }, { name: 'orderId' }],
        },
      },
    });
    expect(await service.command('export_metadata', {})).toMatchObject({
      actions: [{ name: 'placeOrder', comment: 'checkout', permissions: [{ role: 'user' }] }],
    });
  });

  it('applies a directory with an inconsistent object with a warning, and rejects it with --strict', async () => {
    const file = join(folder, 'actions.yaml');
    await writeFile(file, String(directory['actions.yaml']).replace('customerId: id', 'customerId: nothing'));
    const before = await service.command('export_metadata', {});
    expect(await apply('--strict')).toMatchObject({ code: 1, err: expect.stringContaining('nothing') });
    expect(await service.command('export_metadata', {})).toEqual(before);
    expect(await apply()).toMatchObject({ code: 0, err: expect.stringContaining('Warning: ') });
    expect(await service.command('export_metadata', {})).not.toEqual(before);
  });

  it('reports file, line and column of invalid YAML', async () => {
    await writeFile(join(folder, 'actions.yaml'), 'actions:\n  - name: [\n');
    expect(await apply()).toMatchObject({ code: 1, err: expect.stringMatching(/actions\.yaml:\d+:\d+: /) });
  });

  it('names the action of actions.yaml that has no signature', async () => {
    await writeFile(join(folder, 'actions.graphql'), '');
    expect(await apply()).toMatchObject({ code: 1, err: expect.stringContaining('"placeOrder" has no signature') });
  });

  it('reports an unreachable service with a hint', async () => {
    const outcome = await joinery(['metadata', 'apply', '--dir', folder, '--endpoint', 'http://127.0.0.1:1']);
    expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining('joinery serve') });
  });
});

const directory = {
  'version.yaml': 'version: 3\n',
  'databases/databases.yaml': `
- name: default
  kind: postgres
  tables: "!include default/tables/tables.yaml"
`,
  'databases/default/tables/tables.yaml': '- "!include public_customer.yaml"\n',
  'databases/default/tables/public_customer.yaml': 'table: { schema: public, name: customer }\n',
  'actions.graphql': `
type Mutation {
  placeOrder(sku: String!): OrderResult
}

type OrderResult {
  orderId: Int!
  customerId: Int!
}
`,
  'actions.yaml': `
actions:
  - name: placeOrder
    definition:
      kind: synchronous
      handler: "{{SHOP_URL}}/place-order"
    permissions:
      - role: user
    comment: checkout
custom_types:
  enums: []
  input_objects: []
  objects:
    - name: OrderResult
      relationships:
        - remote_table: { schema: public, name: customer }
          name: customer
          type: object
          field_mapping:
            customerId: id
  scalars: []
`,
};
