import { expect, test } from 'vitest';
import { createDatabaseClock } from './database-clock.ts';

/** A clock whose local time is `local.now`. */
function clockAt(start: number) {
  const local = { now: start };
  return { local, clock: createDatabaseClock(() => local.now) };
}

test('the time is unknown until the first observation', () => {
  const { clock } = clockAt(1_000);
  expect(clock.known()).toBe(false);
  clock.observe(1_000, 1_001, 50_000);
  expect(clock.known()).toBe(true);
});

test('an observation counts from the latest possible moment, so the clock is never ahead', () => {
  const { local, clock } = clockAt(1_000);
  clock.observe(1_000, 1_010, 50_000);
  local.now = 1_010;
  expect(clock.now()).toBe(50_000);
});

test('a fast response narrows the bounds of a slow one, and a later slow one does not widen them', () => {
  const { local, clock } = clockAt(1_000);
  clock.observe(1_000, 1_100, 50_000);
  clock.observe(1_100, 1_101, 50_100.5);
  local.now = 1_101;
  expect(clock.now()).toBeCloseTo(50_100.5, 6);
  clock.observe(1_101, 1_301, 50_200);
  local.now = 1_301;
  expect(clock.now()).toBeCloseTo(50_300.5, 0);
  expect(clock.now()).toBeLessThanOrEqual(50_300.5);
});

test('between observations the clock falls behind by the assumed drift', () => {
  const { local, clock } = clockAt(1_000);
  clock.observe(1_000, 1_000, 50_000);
  local.now = 3_000;
  expect(clock.now()).toBeCloseTo(51_999, 6);
});

test('the clock follows a database clock that was set back', () => {
  const { local, clock } = clockAt(1_000);
  clock.observe(1_000, 1_001, 50_000);
  clock.observe(2_000, 2_001, 41_000);
  local.now = 2_001;
  expect(clock.now()).toBe(41_000);
});

test('the clock follows a database clock that was set forward', () => {
  const { local, clock } = clockAt(1_000);
  clock.observe(1_000, 1_001, 50_000);
  clock.observe(2_000, 2_001, 90_000);
  local.now = 2_001;
  expect(clock.now()).toBe(90_000);
});
