/** Tests that a service continues when its log cannot be written, because its reader has ended or its disk is full. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../server/test/support/database/test-database.ts';
import { freePort } from '../../../server/test/support/http/free-port.ts';

const bin = fileURLToPath(new URL('../../bin/joinery.mjs', import.meta.url));
const children: ChildProcess[] = [];
const databases: TestDatabase[] = [];

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const database of databases) await database.drop();
});

/** Starts a service that logs to `output`: `pipe`, or the descriptor of an open file. */
async function serve(output: 'pipe' | number): Promise<{ child: ChildProcess; url: string }> {
  const database = await testDatabase();
  databases.push(database);
  const port = await freePort();
  const child = spawn(process.execPath, [bin, 'serve', '--port', `${port}`], {
    env: { PATH: process.env.PATH, JOINERY_HOST: '127.0.0.1', JOINERY_DATABASE_URL: database.url },
    stdio: ['ignore', output, 'inherit'],
  });
  children.push(child);
  return { child, url: `http://127.0.0.1:${port}` };
}

/** Changes the metadata, which logs a line at once. Returns the status of the response, or 0 while nothing listens. */
async function change(url: string): Promise<number> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"type":"clear_metadata","args":{}}',
    signal: AbortSignal.timeout(5_000),
  };
  return fetch(`${url}/v1/metadata`, request).then(
    async (response) => {
      await response.text();
      return response.status;
    },
    () => 0,
  );
}

async function respondsAndStops({ child, url }: { child: ChildProcess; url: string }): Promise<void> {
  await expect.poll(() => change(url), { timeout: 60_000 }).toBe(200);
  for (let count = 0; count < 10; count++) expect(await change(url)).toBe(200);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
}

it('responds and stops in order after the reader of its log has ended', async () => {
  const service = await serve('pipe');
  await expect.poll(() => change(service.url), { timeout: 60_000 }).toBe(200);
  service.child.stdout?.destroy();
  await respondsAndStops(service);
}, 120_000);

it('responds and stops in order while the disk of its log is full', async () => {
  const full = await open('/dev/full', 'w');
  try {
    await respondsAndStops(await serve(full.fd));
  } finally {
    await full.close();
  }
}, 120_000);
