import type { TrafficFigures, TrafficHistory } from '@joinery/metadata/api/events/traffic';
import { expect, test } from 'vitest';
import { type Finding, findingsOf, type Readings } from './health.ts';

const none: TrafficFigures = {
  count: 0,
  delivered: 0,
  retried: 0,
  failed: 0,
  dead: 0,
  duration_ms: null,
  lateness_ms: null,
  backlog: 0,
  backlog_seconds: 0,
};

function traffic(total: Partial<TrafficFigures>, last: Partial<TrafficFigures> = {}): TrafficHistory {
  const figures = { ...none, ...total };
  return {
    from: '',
    until: '',
    period_seconds: 60,
    total: figures,
    periods: [{ at: '', ...none, ...last }],
    destinations: figures.count === 0 ? [] : [{ destination: 'https://a', kinds: ['one_off'], ...figures }],
  };
}

const node = {
  id: 'a',
  host: 'a',
  pid: 1,
  version: '1.0.0',
  components: ['api', 'events'],
  started_at: '',
  seen_at: '',
  alive: true,
  events_in_hand: 0,
};

const well: Readings = {
  readiness: { ready: true, waiting_for: [] },
  broken: 0,
  unsupported: 0,
  calls: traffic({ count: 100, delivered: 100 }),
  operations: traffic({ count: 1_000, delivered: 999, failed: 1 }),
  backlog: { pending: 5, due: 1, in_flight: 1, oldest_due_seconds: 0.4 },
  destinations: [
    { destination: 'https://a', concurrency: 3, rate_per_second: null, paused: false, circuit: { state: 'closed' } },
  ],
  nodes: [node],
};

const found = (changed: Partial<Readings>): readonly Pick<Finding, 'severity' | 'title'>[] =>
  findingsOf({ ...well, ...changed }).map(({ severity, title }) => ({ severity, title }));

test('a service without failures is well', () => {
  expect(found({})).toEqual([]);
});

test('250 failed calls of 375 are bad', () => {
  const title = '250 of 375 calls failed in the last hour (67 %)';
  const calls = traffic({ count: 375, delivered: 125, retried: 200, failed: 50 });
  expect(found({ calls })).toEqual([{ severity: 'bad', title }]);
});

test('a single failed call of many is worth a notice', () => {
  const calls = traffic({ count: 1_000, delivered: 999, failed: 1 });
  expect(found({ calls })).toEqual([{ severity: 'notice', title: '1 of 1,000 calls failed in the last hour (0.1 %)' }]);
});

test('failed calls lead to the charts of the destination with the most failures', () => {
  const calls = traffic({ count: 2, failed: 2 });
  expect(findingsOf({ ...well, calls })[0]?.to).toBe('/events/delivery?range=1h&destination=https%3A%2F%2Fa');
});

test('an open circuit is bad and a pause is worth a notice', () => {
  const limits = { concurrency: null, rate_per_second: null };
  const open = { state: 'open', opened_at: '', probe_at: '', failed_probes: 1, reason: 'status 503' } as const;
  const destinations = [
    { destination: 'https://b', ...limits, paused: true, circuit: { state: 'closed' as const } },
    { destination: 'https://a', ...limits, paused: false, circuit: open },
  ];
  expect(found({ destinations })).toEqual([
    { severity: 'bad', title: 'The circuit of https://a is open' },
    { severity: 'notice', title: 'https://b is paused' },
  ]);
});

test.each([
  [30, 'notice'],
  [90, 'bad'],
] as const)('a due event that has waited for %d seconds is %s', (oldest_due_seconds, severity) => {
  const backlog = { pending: 9, due: 3, in_flight: 0, oldest_due_seconds };
  expect(found({ backlog })).toEqual([{ severity, title: '3 due events wait' }]);
});

test('the sampled backlog of event triggers counts', () => {
  const calls = traffic({}, { backlog: 12, backlog_seconds: 300 });
  expect(found({ calls })).toEqual([{ severity: 'bad', title: '12 due events wait' }]);
});

test('failed operations are bad from a twentieth', () => {
  const operations = traffic({ count: 100, delivered: 90, failed: 10 });
  expect(found({ operations })).toEqual([
    { severity: 'bad', title: '10 of 100 GraphQL operations failed in the last hour (10 %)' },
  ]);
});

test('inconsistent objects are bad and members without effect are worth a notice', () => {
  expect(found({ broken: 1, unsupported: 2 })).toEqual([
    { severity: 'bad', title: '1 object of the metadata is inconsistent' },
    { severity: 'notice', title: '2 members of the metadata have no effect' },
  ]);
});

test('a cluster in which no node delivers events is bad', () => {
  expect(found({ nodes: [{ ...node, components: ['api'] }] })).toEqual([
    { severity: 'bad', title: 'No node delivers events' },
  ]);
});

test('nodes without heartbeats and different versions are worth a notice', () => {
  const nodes = [node, { ...node, id: 'b', version: '1.1.0' }, { ...node, id: 'c', alive: false }];
  expect(found({ nodes }).map(({ title }) => title)).toEqual([
    '1 of 3 nodes sends no heartbeat',
    'The nodes have different versions',
  ]);
});

test('nothing is found before anything is read', () => {
  const unread = Object.fromEntries(Object.keys(well).map((name) => [name, undefined]));
  expect(findingsOf(unread as unknown as Readings)).toEqual([]);
});
