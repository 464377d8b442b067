import type { TrafficDestination } from '@joinery/metadata/api/events/traffic';
import { expect, test } from 'vitest';
import { destinationsOf, hasLimits } from './destinations.ts';

const figures = { delivered: 1, retried: 0, failed: 0, dead: 0, duration_ms: null, lateness_ms: null };
const traffic = (destination: string, count: number): TrafficDestination => {
  return { destination, kinds: ['one_off'], count, ...figures, backlog: 0, backlog_seconds: 0 };
};
const settings = { concurrency: null, rate_per_second: 5, paused: true, circuit: { state: 'closed' as const } };

test('one list contains called destinations and configured destinations', () => {
  const found = destinationsOf(
    [traffic('https://a', 1), traffic('https://b', 3)],
    [
      { destination: 'https://a', ...settings },
      { destination: 'https://c', ...settings },
    ],
    ['https://b', 'https://d'],
  );
  expect(found.map(({ name, settings: set }) => [name, set?.paused])).toEqual([
    ['https://b', undefined],
    ['https://a', true],
    ['https://c', true],
    ['https://d', undefined],
  ]);
});

test('a destination that is written with a template is listed once, with its value', () => {
  const found = destinationsOf([traffic('https://a', 1)], [], ['{{API_URL}}']);
  expect(found.map(({ name }) => name)).toEqual(['https://a']);
});

test.each([
  ['https://a', true],
  ['operation:shop.pay', true],
  ['other', false],
  ['createOrder', false],
])('whether %s can have limits is %s', (name, expected) => {
  expect(hasLimits(name)).toBe(expected);
});
