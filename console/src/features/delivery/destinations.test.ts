import { expect, test } from 'vitest';
import { destinationsOf, pointsOf, withSample } from './destinations.ts';

const calls = { count: 3, per_second: 1, delivered: 3, failed: 0, lateness_ms: null, duration_ms: null };
const settings = { concurrency: null, rate_per_second: 5, paused: true, circuit: { state: 'closed' as const } };

test('one list contains called destinations and configured destinations', () => {
  const stats = {
    backlog: { pending: 0, due: 0, in_flight: 0, oldest_due_seconds: 0 },
    window_seconds: 60,
    calls,
    destinations: [
      { destination: 'https://a', ...calls, count: 1 },
      { destination: 'https://b', ...calls },
    ],
  };
  const found = destinationsOf(stats, [
    { destination: 'https://a', ...settings },
    { destination: 'https://c', ...settings },
  ]);
  expect(found.map(({ name, settings: set }) => [name, set?.paused])).toEqual([
    ['https://b', undefined],
    ['https://a', true],
    ['https://c', true],
  ]);
});

test('a line has a gap at times without calls', () => {
  const samples = [
    { at: 1, perSecond: 0, latenessMs: undefined },
    { at: 2, perSecond: 3, latenessMs: 7 },
  ];
  expect(pointsOf(samples, ({ latenessMs }) => latenessMs)).toEqual([
    { at: 1, value: null },
    { at: 2, value: 7 },
  ]);
});

test('stores a sample once', () => {
  const sample = { at: 1, perSecond: 2, latenessMs: 3 };
  expect(withSample(withSample([], sample), sample)).toEqual([sample]);
});
