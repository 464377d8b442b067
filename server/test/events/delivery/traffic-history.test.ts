/** The history of traffic: nodes add counts to one table, which get_traffic_history reads. */
import { GetTrafficHistory } from '@joinery/metadata/api/events/traffic';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import { type Observation, silent } from '../../../src/base/telemetry/observe.ts';
import { createBacklogSamples } from '../../../src/events/history/backlog-samples.ts';
import type { CountedCall } from '../../../src/events/history/counts.ts';
import { getTrafficHistory } from '../../../src/events/history/read-traffic.ts';
import { createTrafficRecorder, type TrafficRecorder } from '../../../src/events/history/traffic-writer.ts';
import { createRetentionTask } from '../../../src/events/scheduled/retention.ts';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { readArguments } from '../../../src/service/commands/command.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column } from '../../support/events/delivery-node.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
const recorders: TrafficRecorder[] = [];

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
});
afterEach(async () => {
  await Promise.all(recorders.splice(0).map((one) => one.stop()));
  await db.drop();
});

const call: CountedCall = {
  kind: 'one_off',
  destination: 'https://a',
  result: 'delivered',
  durationMs: 20,
  latenessMs: 2,
};
const history = (args: unknown = {}) => getTrafficHistory(db.database.query, readArguments(GetTrafficHistory, args));

function recorderOf(node: string, query: Query = db.database.query): TrafficRecorder {
  const recorder = createTrafficRecorder();
  recorder.start({ query, node, observe: silent, everyMs: 5 });
  recorders.push(recorder);
  return recorder;
}

test('the counts of several nodes that write at the same time are added', async () => {
  const nodes = ['a', 'b', 'c'].map((name) => recorderOf(name));
  for (let n = 0; n < 300; n += 1) {
    for (const node of nodes) {
      node.record({ ...call, destination: `https://${n % 5}`, result: n % 3 === 0 ? 'retried' : 'delivered' });
    }
    if (n % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(nodes.map((node) => node.stop()));
  const { total, destinations } = await history();
  expect(total).toMatchObject({ count: 900, delivered: 600, retried: 300, failed: 0, dead: 0 });
  expect(destinations.map(({ count }) => count)).toEqual([180, 180, 180, 180, 180]);
});

test('calls are written by one statement for all', async () => {
  let statements = 0;
  const counting: Query = (...given) => {
    statements += 1;
    return db.database.query(...given);
  };
  const recorder = recorderOf('a', counting);
  for (let n = 0; n < 1_000; n += 1) recorder.record({ ...call, destination: `https://${n % 50}` });
  await recorder.stop();
  expect(statements).toBe(1);
  expect((await history()).total.count).toBe(1_000);
});

test('a write whose result was lost is not counted twice', async () => {
  let lost = 0;
  const losing: Query = async (...given) => {
    const result = await db.database.query(...given);
    if (lost === 0) {
      lost += 1;
      throw new Error('the connection was lost');
    }
    return result;
  };
  const recorder = recorderOf('a', losing);
  recorder.record(call);
  await until('the write was lost', () => lost === 1);
  recorder.record(call);
  await recorder.stop();
  expect((await history()).total.count).toBe(2);
});

test('counts are kept while the database does not respond, and are written afterwards', async () => {
  let fails = true;
  let failed = 0;
  const recorder = recorderOf('a', async (...given) => {
    if (!fails) return db.database.query(...given);
    failed += 1;
    throw new Error('unreachable');
  });
  recorder.record(call);
  await until('two writes failed', () => failed >= 2);
  recorder.record(call);
  fails = false;
  await until('the calls are counted', async () => (await history()).total.count === 2);
});

describe('get_traffic_history', () => {
  test('returns every period of the range, with the figures of its calls', async () => {
    const recorder = recorderOf('a');
    for (let n = 0; n < 100; n += 1) recorder.record({ ...call, durationMs: n, latenessMs: 2 });
    recorder.record({ ...call, result: 'dead' });
    await recorder.stop();
    const { periods, total, period_seconds } = await history();
    expect(period_seconds).toBe(60);
    expect(periods.length).toBeGreaterThanOrEqual(60);
    expect(periods.filter(({ count }) => count > 0).length).toBe(1);
    expect(total).toMatchObject({ count: 100, dead: 1 });
    expect(total.duration_ms?.p50).toBeGreaterThan(40);
    expect(total.duration_ms?.p50).toBeLessThan(60);
    expect(total.duration_ms?.p99).toBeGreaterThan(80);
  });

  test('reads the rows of hours for periods of hours', async () => {
    await column(
      db.database,
      `insert into joinery.traffic_history
       select 3600, date_trunc('hour', now()) - n * interval '1 hour', 'cron', 'https://a', 10, 8, 0, 2, 0, '{0,10}', '{10}', 0, 0
       from generate_series(1, 48) n`,
    );
    const from = new Date(Date.now() - 7 * 86_400_000).toISOString();
    const { total, period_seconds } = await history({ from });
    expect(period_seconds).toBe(3_600);
    expect(total).toMatchObject({ count: 480, delivered: 384, failed: 96 });
  });

  test('counts operations of clients apart from calls of events', async () => {
    const recorder = recorderOf('a');
    recorder.record(call);
    const operation = { kind: 'operation', requestId: '', role: '', name: undefined, length: 1 } as const;
    const texts = { hash: () => '', planHash: () => undefined, query: () => '' };
    recorder.observe({ ...operation, ...texts, type: 'query', code: undefined, durationMs: 3 });
    recorder.observe({ ...operation, ...texts, type: 'mutation', code: 'constraint-violation', durationMs: 3 });
    await recorder.stop();
    expect((await history()).total.count).toBe(1);
    expect((await history({ kinds: ['graphql'] })).total).toMatchObject({
      count: 2,
      delivered: 1,
      failed: 1,
      lateness_ms: null,
    });
  });

  test.each([
    [
      'a range that ends before it begins',
      { from: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' },
      '$.args.from',
    ],
    [
      'more than 1,000 periods',
      { from: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z', period_seconds: 60 },
      '$.args.period_seconds',
    ],
    ['another length of periods', { period_seconds: 7 }, '$.args.period_seconds'],
    ['an unknown kind', { kinds: ['other'] }, '$.args.kinds[0]'],
  ])('rejects %s', async (_what, args, path) => {
    const error = await (async () => history(args))().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'parse-failed', path });
  });
});

test('one node samples the backlog of due events by destination', async () => {
  await column(
    db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at)
     select case when n <= 3 then 'https://a/x' else 'https://b' end, now() - n * interval '10 s' from generate_series(1, 5) n
     union all select 'https://a', now() + interval '1 day'`,
  );
  const samples = [1, 2].map(() =>
    createBacklogSamples({
      query: db.database.query,
      observe: silent,
      destinationOf: (lane) => lane,
      triggerBacklog: async () => [{ kind: 'event_trigger', destination: 'https://a', waiting: 7, oldestMs: 1_000 }],
    }),
  );
  for (const one of samples) await one.start();
  for (const one of samples) await one.stop();
  const { destinations, total } = await history();
  expect(destinations.map(({ kinds, destination, backlog }) => [destination, backlog, kinds])).toEqual([
    ['https://a', 10, ['one_off', 'event_trigger']],
    ['https://b', 2, ['one_off']],
  ]);
  expect(total.backlog).toBe(12);
  expect(total.backlog_seconds).toBeGreaterThanOrEqual(50);
});

test('removes rows of minutes after 25 hours and rows of hours after 30 days', async () => {
  await column(
    db.database,
    `insert into joinery.traffic_history
     select s, now() - age, 'cron', 'a', 1, 1, 0, 0, 0, '{}', '{}', 0, 0
     from (values (60, interval '24 hours'), (60, interval '26 hours'), (3600, interval '29 days'), (3600, interval '31 days'))
       as t (s, age)`,
  );
  const observed: Observation[] = [];
  const task = createRetentionTask({
    query: db.database.query,
    observe: (observation) => observed.push(observation),
    retention: { eventDays: 0, logDays: 0, mostEvents: 0 },
    everyMs: 20,
  });
  task.start();
  const rest = () => column(db.database, 'select period_seconds from joinery.traffic_history order by 1');
  await until('two rows are left', async () => observed.length > 0 || (await rest()).length === 2);
  await task.stop();
  expect(await rest()).toEqual(['60', '3600']);
  expect(observed).toEqual([]);
});
