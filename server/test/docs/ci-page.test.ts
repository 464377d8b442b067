/** The script and the pipelines of docs/ci.md. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { freePort } from '../support/http/free-port.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(root, 'docs/ci.md'), 'utf8');
const command = join(root, 'cli/bin/joinery.mjs');
const migration = 'migrations/default/1700000000000_init/up.sql';

let project: string;
let database: TestDatabase;

function block(name: string): string {
  const [, text = ''] = new RegExp(`^\`\`\`\\w+ ${name}\n(.*?)^\`\`\``, 'ms').exec(page) ?? [];
  if (text === '') throw new Error(`the page has no block "${name}"`);
  return text;
}

async function shell(script: string): Promise<{ readonly code: unknown; readonly output: string }> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, JOINERY_DATABASE_URL: database.url, JOINERY_PORT: `${await freePort()}` };
  const child = spawn('bash', ['-c', script], {
    cwd: project,
    env: { ...env, JOINERY_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  return { code, output };
}

beforeAll(async () => {
  database = await testDatabase();
  project = mkdtempSync(join(tmpdir(), 'joinery-ci-'));
  spawnSync(process.execPath, [command, 'init', '.'], { cwd: project });
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
});

afterAll(async () => {
  await database?.drop();
  rmSync(project, { recursive: true, force: true });
});

it('the check passes for a new project, and again when its schema is stored', { timeout: 180_000 }, async () => {
  const first = await shell(block('run=check'));
  expect(first.code, first.output).toBe(0);
  const stored = `node_modules/.bin/joinery serve & service=$!; trap 'kill $service' EXIT; export JOINERY_ENDPOINT="http://127.0.0.1:$JOINERY_PORT"
curl -sf --retry 60 --retry-delay 1 --retry-all-errors "$JOINERY_ENDPOINT/readyz"\n${block('run=schema')}`;
  expect((await shell(stored)).code).toBe(0);
  const second = await shell(block('run=check'));
  expect(second.code, second.output).toBe(0);
});

it('the check fails if a migration drops a column that a permission names', { timeout: 180_000 }, async () => {
  const before = readFileSync(join(project, migration), 'utf8');
  await database.database.query({ text: 'drop schema public cascade; create schema public', values: [] });
  await database.database.query({ text: 'drop schema joinery cascade', values: [] });
  writeFileSync(join(project, migration), before.replace('  name text not null,\n', ''));
  const { code, output } = await shell(block('run=check'));
  writeFileSync(join(project, migration), before);
  expect({ code, names: output.includes('name') }).toEqual({ code: 1, names: true });
});

/** The lines of the page that run the command, without those of the shell around them. */
const used = [...page.matchAll(/(?:npx |bin\/)joinery ([a-z]+(?: [a-z]+)?)[^\n]*/g)].map(([line, name = '']) => ({
  name,
  options: [...line.matchAll(/ (--[a-z-]+)/g)].map(([, option = '']) => option),
}));

it.each(used)('the command "joinery $name" has the options $options', ({ name, options }) => {
  const { stdout, status } = spawnSync(process.execPath, [command, ...name.split(' '), '--help'], { encoding: 'utf8' });
  expect({ status, missing: options.filter((option) => !stdout.includes(`${option} `)) }).toEqual({
    status: 0,
    missing: [],
  });
});

it.each(['file=.github/workflows/check.yaml', 'file=.gitlab-ci.yml'])(
  'the pipeline "%s" runs check and deploy',
  (name) => {
    const jobs = JSON.stringify(parse(block(name)));
    expect([jobs.includes('bash ci/check.sh'), jobs.includes('npx joinery deploy --env prod --strict')]).toEqual([
      true,
      true,
    ]);
  },
);
