/** Listeners receive the notifications of their channels, also after a lost connection. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Observation } from '../../src/base/telemetry/observe.ts';
import { type Listener, type ListenSettings, listen } from '../../src/postgres/client/listen.ts';
import { startProxy } from '../support/database/postgres-proxy.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

const notify = (channel: string, payload: string) =>
  db.database.query({ text: 'select pg_notify($1, $2)', values: [channel, payload] });

const listeners = () =>
  db.database
    .query({
      text: `select pid from pg_stat_activity where application_name = 'joinery listen' and datname = current_database()`,
      values: [],
    })
    .then(({ rows }) => rows.length);

interface OpenedListener {
  readonly listener: Listener;
  readonly received: string[];
  readonly observations: Observation[];
  reconnects: number;
}

async function open(settings: Partial<ListenSettings> = {}): Promise<OpenedListener> {
  const received: string[] = [];
  const observations: Observation[] = [];
  const opened = { received, observations, reconnects: 0 };
  const listener = await listen({
    url: db.url,
    channels: ['plain', 'Odd "channel"'],
    onNotify: (channel, payload) => received.push(`${channel}: ${payload}`),
    onReconnect: () => {
      opened.reconnects += 1;
    },
    observe: (observation) => observations.push(observation),
    firstWaitMs: 10,
    longestWaitMs: 50,
    ...settings,
  });
  return Object.assign(opened, { listener });
}

test('a listener receives the notifications of its channels only', async () => {
  const opened = await open();
  expect(opened.listener.available).toBe(true);
  await notify('other', 'no');
  await notify('plain', '1');
  await notify('Odd "channel"', '2');
  await expect.poll(() => opened.received).toEqual(['plain: 1', 'Odd "channel": 2']);
  expect(await listeners()).toBe(1);
  await opened.listener.close();
});

test('a listener reconnects after a lost connection and reports it', async () => {
  const proxy = await startProxy(db.url);
  const opened = await open({ url: proxy.url });
  for (const round of [1, 2]) {
    proxy.cut();
    await expect.poll(() => opened.reconnects).toBe(round);
    await notify('plain', String(round));
    await expect.poll(() => opened.received.at(-1)).toBe(`plain: ${round}`);
  }
  await opened.listener.close();
  await proxy.close();
});

test('a listener retries to connect while the database is unreachable', async () => {
  const proxy = await startProxy(db.url);
  const opened = await open({ url: proxy.url });
  await proxy.close();
  await expect.poll(() => opened.observations.filter(({ kind }) => kind === 'failure').length).toBeGreaterThan(2);
  const again = await startProxy(db.url, {}, Number(new URL(proxy.url).port));
  await expect.poll(() => opened.reconnects).toBe(1);
  await notify('plain', 'back');
  await expect.poll(() => opened.received).toEqual(['plain: back']);
  await opened.listener.close();
  await again.close();
});

test('a listener reports that it is not available if notifications are not forwarded', async () => {
  const proxy = await startProxy(db.url, { dropsNotifications: true });
  const opened = await open({ url: proxy.url });
  expect(opened.listener.available).toBe(false);
  expect(opened.observations).toMatchObject([{ kind: 'note', level: 'warn', where: 'listen' }]);
  await opened.listener.close();
  await proxy.close();
});

test('a listener rejects with busy if the database is unreachable at the start', async () => {
  const proxy = await startProxy(db.url);
  await proxy.close();
  await expect(open({ url: proxy.url })).rejects.toMatchObject({ code: 'busy' });
});

test('a listener closes its connection and does not reconnect after close', async () => {
  const opened = await open();
  await opened.listener.close();
  await expect.poll(listeners).toBe(0);
  await notify('plain', 'too late');
  expect(opened.received).toEqual([]);
  expect(opened.reconnects).toBe(0);
});
