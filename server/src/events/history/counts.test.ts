import { expect, test } from 'vitest';
import { createTrafficCounts } from './counts.ts';

const HOUR = 3_600_000;
const call = { kind: 'one_off', destination: 'https://a', result: 'delivered', durationMs: 5, latenessMs: 1 } as const;

test('counts a call in its minute and in its hour', () => {
  const counts = createTrafficCounts(() => 5 * HOUR + 61_000);
  counts.add(call);
  counts.add({ ...call, result: 'failed' });
  const rows = counts.take();
  expect(
    rows.map(({ period_seconds, at, count, delivered, failed }) => [period_seconds, at, count, delivered, failed]),
  ).toEqual([
    [60, 5 * 3_600 + 60, 2, 1, 1],
    [3_600, 5 * 3_600, 2, 1, 1],
  ]);
  expect(counts.isEmpty()).toBe(true);
});

test('an event that was not called has no duration and no lateness', () => {
  const counts = createTrafficCounts(() => HOUR);
  counts.add({ ...call, result: 'dead' });
  expect(counts.take()[0]).toMatchObject({ count: 0, dead: 1, duration: [], lateness: [] });
});

test('counts destinations beyond the thirtieth of an hour as other', () => {
  const counts = createTrafficCounts(() => HOUR);
  for (let n = 0; n < 100; n += 1) counts.add({ ...call, destination: `https://${n}` });
  const hours = counts.take().filter(({ period_seconds }) => period_seconds === 3_600);
  expect(hours.length).toBe(31);
  expect(hours.find(({ destination }) => destination === 'other')?.count).toBe(70);
});

test('the busiest destinations of an hour have their names in the next one', () => {
  let now = HOUR;
  const counts = createTrafficCounts(() => now);
  for (let n = 0; n < 30; n += 1) counts.add({ ...call, destination: `https://${n}` });
  counts.add({ ...call, destination: 'https://29' });
  counts.take();
  now = 2 * HOUR;
  for (let n = 100; n < 200; n += 1) counts.add({ ...call, destination: `https://${n}` });
  counts.add({ ...call, destination: 'https://29' });
  const named = counts.take().map(({ destination }) => destination);
  expect(named).toContain('https://29');
});

test('bounds the rows that wait for the database', () => {
  let now = HOUR;
  const counts = createTrafficCounts(() => now);
  for (let n = 0; n < 5_000; n += 1) {
    now += 60_000;
    counts.add(call);
  }
  expect(counts.take().length).toBe(2_000);
});
