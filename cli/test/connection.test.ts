/** Tests of how commands find their service: header prefix, variables of Hasura v2, profiles; and of `joinery version`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { openProject } from '../src/project/config.ts';
import { joinery } from './support/command.ts';
import { RunningCommand, writeFiles } from './support/running-command.ts';

const secret = 'a-secret-for-tests';
let service: TestService;
let apiOnly: TestService;
let folder: string;

beforeAll(async () => {
  const settings = { JOINERY_HEADER_PREFIX: 'X-Hasura-', JOINERY_ADMIN_SECRET: secret };
  service = await startService(settings);
  apiOnly = await startService({ ...settings, JOINERY_HEADER_PREFIX: 'X-Own-', JOINERY_COMPONENTS: 'api' });
});

afterAll(async () => {
  await service.stop();
  await apiOnly.stop();
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-connection-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  joinery([...args, '--project', folder], environment);

describe('the header prefix', () => {
  it('is read from the service', async () => {
    await writeFiles(folder, { 'config.yaml': `endpoint: ${service.url}\nadmin_secret: ${secret}\n` });
    expect(await run(['metadata', 'inconsistency', 'status'])).toMatchObject({ code: 0, err: '' });
  });

  it('is read from the error of a service without a console', async () => {
    await writeFiles(folder, { 'config.yaml': `endpoint: ${apiOnly.url}\nadmin_secret: ${secret}\n` });
    expect(await run(['metadata', 'inconsistency', 'status'])).toMatchObject({ code: 0, err: '' });
  });

  it('is the configured one where there is one', async () => {
    await writeFiles(folder, { 'config.yaml': `endpoint: ${service.url}\nadmin_secret: ${secret}\n` });
    expect(await run(['metadata', 'inconsistency', 'status', '--header-prefix', 'X-Other-'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(now X-Other-)'),
    });
  });
});

describe('JOINERY_ADMIN_SECRET_FILE', () => {
  const command = ['metadata', 'inconsistency', 'status'];

  it('names the file of the admin secret', async () => {
    await writeFiles(folder, { 'config.yaml': `endpoint: ${service.url}\n`, secret: `${secret}\n` });
    const environment = { JOINERY_ADMIN_SECRET_FILE: join(folder, 'secret') };
    expect(await run(command, environment)).toMatchObject({ code: 0, err: '' });
  });

  it('is an error if the file does not exist', async () => {
    const environment = { JOINERY_ADMIN_SECRET_FILE: join(folder, 'absent') };
    expect(await run(command, environment)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`JOINERY_ADMIN_SECRET_FILE: the file ${join(folder, 'absent')} does not exist`),
    });
  });

  it('is an error together with JOINERY_ADMIN_SECRET', async () => {
    const environment = { JOINERY_ADMIN_SECRET_FILE: join(folder, 'secret'), JOINERY_ADMIN_SECRET: secret };
    expect(await run(command, environment)).toMatchObject({
      code: 1,
      err: expect.stringContaining('JOINERY_ADMIN_SECRET and JOINERY_ADMIN_SECRET_FILE are both set'),
    });
  });
});

describe('a project of Hasura v2', () => {
  it('works with the variables of its .env file', async () => {
    await writeFiles(folder, {
      'config.yaml': 'version: 3\nendpoint: http://127.0.0.1:1\n',
      '.env': `HASURA_GRAPHQL_ENDPOINT=${service.url}\nHASURA_GRAPHQL_ADMIN_SECRET=${secret}\n`,
    });
    expect(await run(['metadata', 'inconsistency', 'status'])).toMatchObject({ code: 0, err: '' });
  });

  const read = async (files: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}) => {
    await writeFiles(folder, files);
    return openProject({ project: folder }, environment);
  };

  it.each([
    ['HASURA_GRAPHQL_METADATA_DIRECTORY', 'm', 'metadataDirectory'],
    ['HASURA_GRAPHQL_MIGRATIONS_DIRECTORY', 'm', 'migrationsDirectory'],
    ['HASURA_GRAPHQL_SEEDS_DIRECTORY', 'm', 'seedsDirectory'],
    ['HASURA_GRAPHQL_METADATA_FILE', 'm', 'metadataFile'],
  ] as const)('overrides config.yaml by %s', async (variable, value, member) => {
    const config = 'metadata_directory: a\nmigrations_directory: a\nseeds_directory: a\nmetadata_file: a\n';
    expect((await read({ 'config.yaml': config }, { [variable]: value }))[member]).toBe(join(folder, value));
  });

  it.each([
    ['admin_secret: one', {}, 'one'],
    ['access_key: one', {}, 'one'],
    [`admin_secrets: '["one", "two"]'`, {}, 'one'],
    ['admin_secret: one', { HASURA_GRAPHQL_ADMIN_SECRET: 'two' }, 'two'],
    ['admin_secret: one', { HASURA_GRAPHQL_ADMIN_SECRETS: '["two"]' }, 'one'],
    ['{}', { HASURA_GRAPHQL_ACCESS_KEY: 'two' }, 'two'],
    ['{}', { HASURA_GRAPHQL_ADMIN_SECRET: 'two', JOINERY_ADMIN_SECRET: 'three' }, 'three'],
  ])('takes the admin secret of %s and %j', async (config, environment, expected) => {
    expect((await read({ 'config.yaml': `${config}\n` }, environment)).adminSecret).toBe(expected);
  });

  it('takes paths of APIs from variables', async () => {
    const { apiPaths } = await read({}, { HASURA_GRAPHQL_API_PATHS_V1_METADATA: 'moved/metadata' });
    expect(apiPaths).toEqual({ '/v1/metadata': '/moved/metadata' });
  });

  it('rejects admin_secrets that are not a list', async () => {
    await expect(read({ 'config.yaml': 'admin_secrets: one\n' })).rejects.toThrow('must be a JSON list');
  });
});

describe('a profile', () => {
  it('takes endpoint and secret of config.yaml, with variables of the environment', async () => {
    const config = `endpoint: http://127.0.0.1:1\nenvironments:\n  prod:\n    endpoint: ${service.url}\n    admin_secret: "{{PROD_SECRET}}"\n`;
    await writeFiles(folder, { 'config.yaml': config });
    const status = ['metadata', 'inconsistency', 'status', '--env', 'prod'];
    expect(await run(status, { PROD_SECRET: secret })).toMatchObject({ code: 0, err: '' });
    expect(await run(status)).toMatchObject({ code: 1, err: expect.stringContaining('PROD_SECRET') });
  });

  it('takes the variables of its file before those of the environment', async () => {
    await writeFiles(folder, {
      '.env': 'JOINERY_ENDPOINT=http://127.0.0.1:1\n',
      '.env.prod': `JOINERY_ENDPOINT=${service.url}\nJOINERY_ADMIN_SECRET=${secret}\n`,
    });
    expect(
      await run(['metadata', 'inconsistency', 'status'], {
        JOINERY_ENV: 'prod',
        JOINERY_ENDPOINT: 'http://127.0.0.1:2',
      }),
    ).toMatchObject({ code: 0, err: '' });
  });

  it('rejects a name without a file and without a member of config.yaml', async () => {
    await writeFiles(folder, { 'config.yaml': 'environments:\n  staging: {}\n' });
    expect(await run(['version', '--env', 'prod'])).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        'no profile "prod": create .env.prod, or environments.prod in config.yaml; config.yaml has staging',
      ),
    });
  });
});

describe('joinery version', () => {
  it('prints the versions of the command and of the service', async () => {
    const { out, code } = await run(['version', '--endpoint', service.url, '-o', 'json']);
    const { client, server, endpoint, error } = JSON.parse(out);
    expect({ code, endpoint, error }).toEqual({ code: 0, endpoint: service.url, error: null });
    expect([client, server]).toEqual([expect.stringMatching(/^\d+\.\d+/), expect.stringMatching(/^\d+\.\d+/)]);
    expect((await run(['version', '--endpoint', service.url])).out).toBe(
      `client  ${client}\nserver  ${server}  ${service.url}\n`,
    );
  });

  it('prints its own version and the reason where no service responds', async () => {
    const { out, code } = await run(['version', '--endpoint', 'http://127.0.0.1:1']);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^client {2}\d.*\nserver {2}unknown.*\n.*cannot connect/),
    });
  });
});

describe('a service that does not respond', () => {
  let silent: Server;

  beforeAll(async () => {
    silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    silent.closeAllConnections();
    silent.close();
  });

  it('is reported once, while the command waits', async () => {
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const command = new RunningCommand(['metadata', 'reload', '--endpoint', endpoint, '--project', folder]);
    await command.until(/has not responded for 3 s; waiting up to 60 s/);
    await command.stop();
    expect(command.text.match(/has not responded/g)).toHaveLength(1);
  });
});
