/** Alerts: their settings, when they start and end, and the webhooks that are called. */
import type { AlertMessage, Alerts } from '@joinery/metadata/api/events/alerts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkAlerts } from '../../../src/events/alerts/check.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column, startNode, startSink } from '../../support/events/delivery-node.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let service: TestServiceCore;

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
  service = await startServiceCore(db, { environment: { ALERT_URL: 'https://ops.example/alert' } });
});
afterEach(async () => {
  await service.stop();
  await db.drop();
});

const failing = { name: 'failing', rule: { kind: 'failure_rate', percent: 20 }, webhook: 'https://ops.example/alert' };
const set = (change: object = {}) => service.run('set_alert', { ...failing, ...change });
const list = async () => ((await service.run('get_alerts', {})) as Alerts).alerts;
const check = () => checkAlerts({ database: db.database, environment: {} });

/** Counts calls in the present minute. */
async function count(calls: number, failed: number, destination = 'https://a'): Promise<void> {
  await column(
    db.database,
    `insert into joinery.traffic_history as h values (60, date_trunc('minute', now()), 'one_off', $1, $2::int, $2::int - $3::int, 0,
       $3::int, 0, '{}', '{}', 0, 0)
     on conflict (period_seconds, at, kind, destination) do update set count = h.count + excluded.count,
       delivered = h.delivered + excluded.delivered, failed = h.failed + excluded.failed`,
    [destination, calls, failed],
  );
}

async function messages(): Promise<AlertMessage[]> {
  const payloads = await column(db.database, `select payload from joinery.scheduled_events order by schedule_at`);
  return payloads.map((text) => JSON.parse(text) as AlertMessage);
}

describe('failure_rate', () => {
  test('starts above the limit and ends below it, with one message for each', async () => {
    await set();
    await count(100, 30);
    await check();
    await check();
    expect(await list()).toMatchObject([{ name: 'failing', value: 30, active_since: expect.any(String) }]);
    await count(200, 0);
    await check();
    await check();
    expect(await list()).toMatchObject([{ value: 10, active_since: null }]);
    expect(await messages()).toMatchObject([
      {
        alert: 'failing',
        state: 'started',
        value: 30,
        ended_at: null,
        text: 'Alert "failing" started: 30 of 100 calls failed within 5 minutes (30 %, the limit is 20 %).',
      },
      { alert: 'failing', state: 'ended', value: 10, ended_at: expect.any(String) },
    ]);
  });

  test('does not start with fewer calls than min_calls', async () => {
    await set({ rule: { ...failing.rule, min_calls: 50 } });
    await count(49, 49);
    await check();
    expect(await messages()).toEqual([]);
  });

  test('counts the calls of its destination only', async () => {
    await set({ destination: 'https://b' });
    await count(100, 100);
    await count(100, 0, 'https://b');
    await check();
    expect(await list()).toMatchObject([{ value: 0, active_since: null }]);
  });
});

test('circuit_open starts with an open circuit', async () => {
  await set({ rule: { kind: 'circuit_open' } });
  await column(
    db.database,
    `insert into joinery.event_destinations (destination, circuit_opened_at, probe_at, circuit_reason) values ('https://a', now(), now(), 'status 503')`,
  );
  await check();
  expect(await messages()).toMatchObject([
    { state: 'started', value: 1, text: 'Alert "failing" started: 1 circuit is open.' },
  ]);
});

test('backlog_age starts when a due event has waited for longer', async () => {
  await set({ rule: { kind: 'backlog_age', seconds: 60 } });
  await column(
    db.database,
    `insert into joinery.traffic_history values (60, date_trunc('minute', now()), 'cron', 'a', 0, 0, 0, 0, 0, '{}', '{}', 9, 61000)`,
  );
  await check();
  expect(await messages()).toMatchObject([{ state: 'started', value: 61 }]);
});

test('nodes that check at the same time send one message', async () => {
  await set();
  await count(100, 100);
  await Promise.all([check(), check(), check()]);
  expect(await messages()).toHaveLength(1);
});

test('a disabled alert is not checked', async () => {
  await set({ enabled: false });
  await count(100, 100);
  await check();
  expect(await list()).toMatchObject([{ enabled: false, checked_at: null }]);
  expect(await messages()).toEqual([]);
});

test('the webhook receives the message, its end after its start', async () => {
  const sink = await startSink();
  const node = await startNode(db);
  await set({ webhook: `${sink.origin}/alert`, headers: [{ name: 'x-team', value: 'ops' }] });
  await count(100, 100);
  await check();
  await count(1_000, 0);
  await check();
  await until('both messages were received', () => sink.calls.length === 2);
  expect(sink.calls.map(({ body }) => body.state)).toEqual(['started', 'ended']);
  expect(sink.calls[0]?.headers).toMatchObject({ 'x-team': 'ops', 'webhook-id': expect.any(String) });
  await node.close();
  await sink.close();
});

describe('set_alert', () => {
  test('replaces an alert, and a changed receiver keeps its state', async () => {
    await set();
    await count(100, 100);
    await check();
    await set({ webhook: '{{ALERT_URL}}' });
    expect(await list()).toMatchObject([{ webhook: '{{ALERT_URL}}', active_since: expect.any(String) }]);
    await set({ rule: { ...failing.rule, percent: 50 } });
    expect(await list()).toMatchObject([{ active_since: null }]);
  });

  test.each([
    ['a URL that is not http', { webhook: 'ftp://ops' }, '$.args.webhook'],
    ['a variable that is not set', { webhook: '{{MISSING}}/x' }, '$.args.webhook'],
    ['a percentage above 100', { rule: { kind: 'failure_rate', percent: 101 } }, '$.args.rule.percent'],
    ['an empty name', { name: '' }, '$.args.name'],
  ])('rejects %s', async (_what, change, path) => {
    expect(await service.rejection('set_alert', { ...failing, ...change })).toMatchObject({ path });
  });
});

test('delete_alert removes an alert, and rejects one that does not exist', async () => {
  await set();
  await service.run('delete_alert', { name: 'failing' });
  expect(await list()).toEqual([]);
  expect(await service.rejection('delete_alert', { name: 'failing' })).toMatchObject({ code: 'not-exists' });
});
