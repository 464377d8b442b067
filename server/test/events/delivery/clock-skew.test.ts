/** Nodes with a wrong wall clock: calls follow the clock of the database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column, type Sink, startSink } from '../../support/events/delivery-node.ts';
import { until } from '../../support/until.ts';

vi.setConfig({ testTimeout: 120_000 });

const hour = 3_600_000;

let db: TestDatabase;
let sink: Sink;
let child: ChildProcess | undefined;

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
  sink = await startSink();
});
afterEach(async () => {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await sink.close();
  await db.drop();
});

/** Starts a delivering process whose clock has an offset and jumps one second after the start. */
async function nodeWith(offsetMs: number, jumpMs: number): Promise<void> {
  const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const preload = ['--import', new URL('../../support/service/skewed-clock.mjs', import.meta.url).href];
  const started = spawn(
    process.execPath,
    [
      ...preload,
      file('../../support/service/run-typescript.mjs'),
      file('../../support/events/delivery-process-main.ts'),
    ],
    {
      env: {
        ...process.env,
        EVENTS_URL: db.url,
        EVENTS_AGENT: 'skewed',
        EVENTS_PER_DESTINATION: '10',
        CLOCK_OFFSET_MS: String(offsetMs),
        CLOCK_JUMP_MS: String(jumpMs),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  child = started;
  await once(started.stdout, 'data');
}

test.each([
  ['hours ahead', 5 * hour, 0],
  ['hours behind', -5 * hour, 0],
  ['right and then hours ahead', 0, 5 * hour],
  ['right and then hours behind', 0, -5 * hour],
])('a node whose clock is %s calls webhooks at the time of the database clock', async (_what, offset, jump) => {
  await nodeWith(offset, jump);
  const ids = await column(
    db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, payload)
     select $1, clock_timestamp() + n * interval '100 ms', to_json(n) from generate_series(1, 40) n returning id`,
    [sink.origin],
  );
  // Due in an hour; already due by a clock that is five hours ahead.
  await column(
    db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, payload)
     values ($1, clock_timestamp() + interval '1 hour', '"later"') returning id`,
    [sink.origin],
  );
  await until('all due events are called', () => sink.calls.length >= ids.length);
  for (const call of sink.calls) {
    expect(call.body.payload).not.toBe('later');
    // Webhook and database use the clock of the same machine.
    expect(call.at).toBeGreaterThanOrEqual(Date.parse(`${call.body.scheduled_time}`) - 1);
  }
  expect(new Set(sink.calls.map((call) => call.body.id))).toEqual(new Set(ids));
});
