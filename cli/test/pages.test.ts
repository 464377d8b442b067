/** Runs every command block of the README and of "Getting started" unchanged, except for the ports. */
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { testDatabase } from '../../server/test/support/database/test-database.ts';
import { freePort } from '../../server/test/support/http/free-port.ts';
import { partsOf, Terminals } from './support/page.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** Creates a folder in which `npx joinery` runs the command of this repository. */
async function folderWithCommand(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'joinery-page-'));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await symlink(join(root, 'cli'), join(folder, 'node_modules/joinery'));
  await symlink('../joinery/bin/joinery.mjs', join(folder, 'node_modules/.bin/joinery'));
  return folder;
}

/** Replaces timestamps, which differ in each run. */
function comparable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"<time>"'));
}

it.each(['README.md', 'docs/getting-started.md'])(
  'every command block of %s runs unchanged',
  async (path) => {
    const [service, handlers] = [await freePort(), await freePort()];
    const move = (text: string): string => text.replaceAll(':8080', `:${service}`).replaceAll(':3000', `:${handlers}`);
    const database = await testDatabase();
    endings.push(() => database.drop());
    const ports = { JOINERY_PORT: `${service}`, JOINERY_ENDPOINT: move('http://127.0.0.1:8080') };
    const own = { HANDLER_URL: move('http://127.0.0.1:3000'), SERVICE_URL: move('http://127.0.0.1:8080') };
    const settings = { SECRET: 'a-long-random-text', OWN_DATABASE: database.url };
    const system = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
    const environment = { ...system, ...ports, ...own, ...settings };
    const terminals = new Terminals({ folder: await folderWithCommand(), environment });
    endings.push(() => terminals.interrupt());
    let printed = '';
    for (const part of partsOf(move(await readFile(join(root, path), 'utf8')))) {
      if (part.kind === 'prose' && part.text.includes('Stop `joinery dev`')) await terminals.interrupt();
      if (part.kind === 'output') expect(comparable(JSON.parse(printed))).toEqual(comparable(part.json));
      if (part.kind !== 'commands') continue;
      const lines = part.text.split('\n').filter((line) => !line.startsWith('npm ci'));
      // "joinery dev" would use DATABASE_URL.
      if (lines.length > 0)
        printed = await terminals.run(lines.join('\n').replaceAll('$DATABASE_URL', '$OWN_DATABASE'));
    }
  },
  240_000,
);

it('CI runs the repository commands of the README in a fresh clone', async () => {
  const ci = await readFile(join(root, '.ci/run'), 'utf8');
  const scripts = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).scripts as Record<string, string>;
  const parts = partsOf(await readFile(join(root, 'README.md'), 'utf8'));
  const lines = parts.flatMap((part) => (part.kind === 'commands' ? part.text.split('\n') : []));
  const commands = lines.filter((line) => line.startsWith('npm ci')).flatMap((line) => line.split(' && '));
  // "npm test" builds first.
  const run = `${ci}\n${scripts.test}`;
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter((command) => !run.includes(command))).toEqual([]);
});
