/** The files of docs/testing.md, in the project that `joinery init` writes. */
import { type ExecFileException, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(root, 'docs/testing.md'), 'utf8');
const files = [...page.matchAll(/^```js file=(\S+)\n(.*?)^```$/gms)].map(([, name = '', text = '']) => ({
  name,
  text,
}));
let project: string;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'joinery-testing-'));
  await run(process.execPath, [join(root, 'cli/bin/joinery.mjs'), 'init', '.']);
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  for (const { name, text } of files) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Runs a program in the project, without the variables of this test run. Resolves with its code and its output. */
function run(command: string, args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const { PATH, HOME, JOINERY_TEST_DATABASE_URL } = process.env;
  const env = { PATH, HOME, TEST_DATABASE_URL: JOINERY_TEST_DATABASE_URL };
  return new Promise((resolve) => {
    execFile(command, args, { cwd: project, env }, (error: ExecFileException | null, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, output: stdout + stderr });
    });
  });
}

const runs = new Map<string, ReturnType<typeof run>>();

/** Runs a file of tests, once for all tests of this file. */
function runTests(name: string): ReturnType<typeof run> {
  const started = runs.get(name) ?? run(process.execPath, ['--test', '--test-reporter=spec', name]);
  runs.set(name, started);
  return started;
}

const tests = files.map(({ name }) => name).filter((name) => name.endsWith('.test.mjs'));

it.each(tests)('the file %s passes', { timeout: 180_000 }, async (name) => {
  const { code, output } = await runTests(name);
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
});

it('the page shows the output of its first file without durations', { timeout: 180_000 }, async () => {
  const [, shown = ''] = /^```text output\n(.*?)^```$/ms.exec(page) ?? [];
  const { output } = await runTests('test/permissions.test.mjs');
  const lines = output.split('\n').filter((line) => line.startsWith('✔'));
  expect(lines.map((line) => line.replace(/ \([\d.]+ms\)$/, '')).join('\n')).toBe(shown.trim());
});

it('the file for Vitest passes', { timeout: 180_000 }, async () => {
  const { code, output } = await run('npx', ['vitest', 'run', '--root', '.', 'test/permissions.spec.mjs']);
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
});

it('the page has a file for permissions, orders and triggers', () => {
  expect(tests).toEqual(['test/permissions.test.mjs', 'test/orders.test.mjs', 'test/triggers.test.mjs']);
});
