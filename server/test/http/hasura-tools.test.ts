/** Tests of the endpoints that the command line tool and the console of Hasura v2 call beside the metadata API. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const secret = { 'x-hasura-admin-secret': 'secret' };
const user = { ...secret, 'x-hasura-role': 'user' };

/** Prints its arguments and its environment, or does what its schema option says. */
const program = String.raw`#!${process.execPath}
const schema = process.argv.find((one) => one.startsWith('--schema='));
const name = schema === undefined ? '' : schema.slice(9);
if (name === 'wait') setInterval(() => undefined, 1000);
else if (name === 'large') process.stdout.write('x'.repeat(5000));
else if (name === 'fail') { process.stderr.write('pg_dump: error: connection to "postgres://u:secret@h/d" failed\n'); process.exitCode = 1; }
else process.stdout.write('-- comment\n\nselect 1;\n' + JSON.stringify({ args: process.argv.slice(2), env: process.env }) + '\n');
`;

let folder: string;
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-pg-dump-'));
  await writeFile(join(folder, 'pg_dump'), program);
  await chmod(join(folder, 'pg_dump'), 0o755);
  service = await startService({
    PATH: process.env.PATH ?? '',
    JOINERY_ADMIN_SECRET: 'secret',
    JOINERY_HEADER_PREFIX: 'X-Hasura-',
    JOINERY_REPORT_VERSION: 'v2.48.0',
    JOINERY_PG_DUMP: join(folder, 'pg_dump'),
    JOINERY_PG_DUMP_TIMEOUT: '60',
    JOINERY_MAX_PG_DUMP_BYTES: '4096',
    OTHER_URL: 'postgres://reader:hidden@db.example.com/other?sslmode=require',
  });
  const source = { name: 'other', configuration: { connection_info: { database_url: { from_env: 'OTHER_URL' } } } };
  await service.post(
    '/v1/metadata',
    {
      type: 'replace_metadata',
      version: 2,
      args: {
        allow_inconsistent_metadata: true,
        metadata: {
          version: 3,
          sources: [
            { name: 'default', kind: 'postgres', tables: [], configuration: {} },
            { ...source, kind: 'postgres', tables: [] },
            { name: 'sales', kind: 'mssql', tables: [], configuration: {} },
          ],
        },
      },
    },
    secret,
  );
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(service.url + path, { headers });
  const text = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), text };
}

async function dump(body: unknown, headers: Readonly<Record<string, string>> = secret) {
  const response = await fetch(`${service.url}/v1alpha1/pg_dump`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

async function rejection(body: unknown, headers?: Readonly<Record<string, string>>) {
  const { status, text } = await dump(body, headers);
  return { status, ...(JSON.parse(text) as object) };
}

describe('GET /v1/version', () => {
  it('returns the reported version and that of the service, without authentication', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(JSON.parse((await get('/v1/version')).text)).toEqual({
      version: 'v2.48.0',
      server_type: 'ce',
      joinery_version: version,
    });
  });
});

describe('GET /hasura/healthz', () => {
  it('responds as /healthz, with metadata that is inconsistent', async () => {
    expect(await get('/hasura/healthz')).toMatchObject({ status: 200, text: expect.stringMatching(/^WARN: /) });
    expect(await get('/hasura/healthz?strict=true')).toMatchObject({
      status: 500,
      text: expect.stringMatching(/^ERROR: /),
    });
  });
});

describe('GET /v1alpha1/config and /v1/config', () => {
  it.each(['/v1alpha1/config', '/v1/config'])('%s returns the settings to an admin', async (path) => {
    const { status, text } = await get(path, secret);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      version: 'v2.48.0',
      is_function_permissions_inferred: true,
      is_remote_schema_permissions_enabled: false,
      is_admin_secret_set: true,
      is_auth_hook_set: false,
      is_jwt_set: false,
      jwt: [],
      is_allow_list_enabled: false,
      live_queries: { batch_size: 100, refetch_delay: expect.any(Number) },
      streaming_queries: { batch_size: 100, refetch_delay: expect.any(Number) },
      console_assets_dir: null,
      experimental_features: [],
      is_prometheus_metrics_enabled: true,
      default_naming_convention: 'hasura-default',
      feature_flags: [],
      is_apollo_federation_enabled: false,
    });
  });

  it('rejects other callers', async () => {
    expect(await get('/v1alpha1/config')).toMatchObject({ status: 401 });
    const { status, text } = await get('/v1alpha1/config', user);
    expect({ status, body: JSON.parse(text) as unknown }).toEqual({
      status: 400,
      body: { error: 'You have to be an admin to access this endpoint', path: '$', code: 'access-denied' },
    });
  });
});

describe('POST /v1alpha1/pg_dump', () => {
  it('runs pg_dump on the database of the source, with the password in its environment alone', async () => {
    const { status, type, text } = await dump({ opts: ['-O', '--schema', '$(touch x)'], source: 'other' });
    expect({ status, type }).toEqual({ status: 200, type: 'application/sql; charset=utf-8' });
    const [comment, empty, sql, report = ''] = text.split('\n');
    expect([comment, empty, sql]).toEqual(['-- comment', '', 'select 1;']);
    const { args, env } = JSON.parse(report) as { args: string[]; env: Record<string, string> };
    expect(args).toEqual([
      '--no-owner',
      '--schema=$(touch x)',
      '--encoding=utf8',
      '--no-password',
      '--dbname=postgres://reader@db.example.com/other?sslmode=require',
    ]);
    expect(env.PGPASSWORD).toBe('hidden');
    expect(Object.values(env)).not.toContain('secret');
    expect(Object.keys(env)).not.toContain('OTHER_URL');
  });

  it('removes comments and empty lines with clean_output', async () => {
    const { text } = await dump({ opts: ['-n', 'public'], clean_output: true });
    expect(text.split('\n').slice(0, 1)).toEqual(['select 1;']);
  });

  it.each([
    ['an unknown source', { opts: [], source: 'nowhere' }, { status: 400, code: 'not-found', path: '$.source' }],
    [
      'a source of another kind',
      { opts: [], source: 'sales' },
      { status: 400, code: 'not-supported', path: '$.source' },
    ],
    ['no options', {}, { status: 400, code: 'parse-failed', path: '$.opts' }],
    ['an option that writes a file', { opts: ['-f', 'x'] }, { status: 400, code: 'parse-failed', path: '$.opts[0]' }],
    ['an unknown member', { opts: [], shell: true }, { status: 400, code: 'parse-failed', path: '$.shell' }],
  ])('rejects %s', async (_what, body, expected) => {
    expect(await rejection(body)).toMatchObject(expected);
  });

  it('rejects callers that are not admins', async () => {
    expect(await rejection({ opts: [] }, {})).toMatchObject({ status: 401, code: 'access-denied' });
    expect(await rejection({ opts: [] }, user)).toMatchObject({ status: 400, code: 'access-denied' });
  });

  it('returns the messages of pg_dump without passwords where it fails', async () => {
    const message = 'pg_dump: error: connection to "postgres://u:***@h/d" failed';
    expect(await rejection({ opts: ['-n', 'fail'] })).toEqual({
      status: 500,
      code: 'unexpected',
      path: '$',
      error: `pg_dump ended with code 1: ${message}`,
      internal: message,
    });
  });

  it('ends a run that prints too much', async () => {
    expect(await rejection({ opts: ['-n', 'large'] })).toMatchObject({ status: 400, code: 'result-limit-exceeded' });
  });

  it('ends runs that take too long, and rejects a third run at the same time', async () => {
    const settings = { JOINERY_PG_DUMP: join(folder, 'pg_dump'), JOINERY_PG_DUMP_TIMEOUT: '1' };
    const short = await startService(settings, service.database);
    try {
      const runs = [1, 2, 3].map(() => short.post('/v1alpha1/pg_dump', { opts: ['-n', 'wait'] }));
      const codes = (await Promise.all(runs)).map(({ body }) => (body as { readonly code?: string }).code);
      expect(codes.sort()).toEqual(['busy', 'timeout', 'timeout']);
    } finally {
      await short.stop();
    }
  });

  it('names the setting where the program is not installed', async () => {
    const without = await startService({ JOINERY_PG_DUMP: join(folder, 'absent') }, service.database);
    try {
      expect(await without.post('/v1alpha1/pg_dump', { opts: [] })).toMatchObject({
        status: 400,
        body: { code: 'not-supported', error: expect.stringMatching(/is not installed.*JOINERY_PG_DUMP/) },
      });
    } finally {
      await without.stop();
    }
  });

  it('does not exist where JOINERY_ENABLED_APIS does not name it', async () => {
    const without = await startService({ JOINERY_ENABLED_APIS: 'graphql' }, service.database);
    try {
      expect(await without.post('/v1alpha1/pg_dump', { opts: [] })).toMatchObject({ status: 404 });
      expect((await fetch(`${without.url}/v1alpha1/config`)).status).toBe(404);
    } finally {
      await without.stop();
    }
  });
});
