/** What is said on a channel is heard, also after the connection was lost. */
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

const say = (channel: string, payload: string) =>
  db.database.query({ text: 'select pg_notify($1, $2)', values: [channel, payload] });

const listeners = () =>
  db.database
    .query({
      text: `select pid from pg_stat_activity where application_name = 'joinery listen' and datname = current_database()`,
      values: [],
    })
    .then(({ rows }) => rows.length);

interface Ear {
  readonly listener: Listener;
  readonly heard: string[];
  readonly seen: Observation[];
  reconnects: number;
}

async function open(settings: Partial<ListenSettings> = {}): Promise<Ear> {
  const heard: string[] = [];
  const seen: Observation[] = [];
  const ear = { heard, seen, reconnects: 0 };
  const listener = await listen({
    url: db.url,
    channels: ['plain', 'Odd "channel"'],
    onNotify: (channel, payload) => heard.push(`${channel}: ${payload}`),
    onReconnect: () => {
      ear.reconnects += 1;
    },
    observe: (observation) => seen.push(observation),
    firstWaitMs: 10,
    longestWaitMs: 50,
    ...settings,
  });
  return Object.assign(ear, { listener });
}

test('it hears its channels and no others, from the moment it is there', async () => {
  const ear = await open();
  expect(ear.listener.available).toBe(true);
  await say('other', 'no');
  await say('plain', '1');
  await say('Odd "channel"', '2');
  await expect.poll(() => ear.heard).toEqual(['plain: 1', 'Odd "channel": 2']);
  expect(await listeners()).toBe(1);
  await ear.listener.close();
});

test('it comes back when its connection is lost, and says so', async () => {
  const proxy = await startProxy(db.url);
  const ear = await open({ url: proxy.url });
  for (const round of [1, 2]) {
    proxy.cut();
    await expect.poll(() => ear.reconnects).toBe(round);
    await say('plain', String(round));
    await expect.poll(() => ear.heard.at(-1)).toBe(`plain: ${round}`);
  }
  await ear.listener.close();
  await proxy.close();
});

test('it keeps trying while the database is away', async () => {
  const proxy = await startProxy(db.url);
  const ear = await open({ url: proxy.url });
  await proxy.close();
  await expect.poll(() => ear.seen.filter(({ kind }) => kind === 'failure').length).toBeGreaterThan(2);
  const again = await startProxy(db.url, {}, Number(new URL(proxy.url).port));
  await expect.poll(() => ear.reconnects).toBe(1);
  await say('plain', 'back');
  await expect.poll(() => ear.heard).toEqual(['plain: back']);
  await ear.listener.close();
  await again.close();
});

test('where notifications do not come through it says that it is not available', async () => {
  const proxy = await startProxy(db.url, { dropsNotifications: true });
  const ear = await open({ url: proxy.url });
  expect(ear.listener.available).toBe(false);
  expect(ear.seen).toMatchObject([{ kind: 'note', level: 'warn', where: 'listen' }]);
  await ear.listener.close();
  await proxy.close();
});

test('a database that cannot be reached at the start makes it busy', async () => {
  const proxy = await startProxy(db.url);
  await proxy.close();
  await expect(open({ url: proxy.url })).rejects.toMatchObject({ code: 'busy' });
});

test('closed, it leaves no connection and does not come back', async () => {
  const ear = await open();
  await ear.listener.close();
  await expect.poll(listeners).toBe(0);
  await say('plain', 'too late');
  expect(ear.heard).toEqual([]);
  expect(ear.reconnects).toBe(0);
});
