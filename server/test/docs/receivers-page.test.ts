/** The receiver and the outbox of docs/idempotent-receivers.md, as they are written. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { freePort } from '../support/http/free-port.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';
import { examplesOf } from './page-examples.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(root, 'docs/idempotent-receivers.md'), 'utf8');
const examples = examplesOf(page);
const [, program = ''] = /^```js run=receiver\n(.*?)^```$/ms.exec(page) ?? [];

let service: TestService;
let url: string;
const endings: (() => unknown)[] = [];

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  service = await startService({ HANDLER_URL: url });
  endings.push(() => service.stop());
  const folder = mkdtempSync(join(tmpdir(), 'joinery-receiver-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'receiver.mjs'), program);
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
    env: { PATH, HOME, PORT: `${port}`, DATABASE_URL: service.database.url },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const closed = once(child, 'close');
  endings.push(() => child.kill('SIGKILL') && closed);
  await run(0);
  await until('the receiver responds', () =>
    fetch(url, { method: 'POST', body: '{}' }).then(
      () => true,
      () => false,
    ),
  );
});

afterAll(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

beforeEach(() => service.database.database.query({ text: 'truncate points, handled_event', values: [] }));

/** Runs an example of the page by its place. */
async function run(place: number): Promise<void> {
  const example = examples[place];
  if (example?.kind === 'sql') await service.command('run_sql', { sql: example.text });
  else if (example?.kind === 'command') await service.post('/v1/metadata', example.text);
  else throw new Error(`no example ${place} on the page`);
}

async function total(): Promise<unknown> {
  const { rows } = await service.database.database.query({ text: 'select * from points', values: [] });
  return rows;
}

async function deliver(id: string, message: unknown): Promise<unknown> {
  const body = JSON.stringify({ id, event: { data: { new: { message } } } });
  const response = await fetch(url, { method: 'POST', body });
  return response.status === 200 ? response.json() : response.status;
}

it('handles an event once that is delivered ten times at the same time', async () => {
  const id = randomUUID();
  const results = await Promise.all(Array.from({ length: 10 }, () => deliver(id, { customer: 7, points: 10 })));
  expect({
    handled: results.filter((one) => JSON.stringify(one) === '{"result":"handled"}').length,
    total: await total(),
  })
    // The query returns values as texts.
    .toEqual({ handled: 1, total: [['7', '10']] });
});

it('handles an event again whose first delivery failed', async () => {
  const id = randomUUID();
  expect([await deliver(id, { customer: 7, points: 'many' }), await deliver(id, { customer: 7, points: 10 })]).toEqual([
    500,
    { result: 'handled' },
  ]);
});

it('counts a message of the outbox once, also after a redelivery', async () => {
  await run(2);
  await run(3);
  await run(4);
  await until('the message is handled', async () => JSON.stringify(await total()) === '[["7","10"]]');
  const calls = async (): Promise<number> => {
    const log = await service.command('pg_get_event_invocation_logs', { name: 'outbox' });
    return (log as readonly unknown[]).length;
  };
  // The receiver has handled it before the service has its response.
  await until('the outcome is stored', async () => (await calls()) === 1);
  await service.command('pg_redeliver_events', { name: 'outbox', status: ['delivered'] });
  await until('the event is called again', async () => (await calls()) === 2);
  expect(await total()).toEqual([['7', '10']]);
});
