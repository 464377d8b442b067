import { expect, test } from 'vitest';
import { createDatabaseClock } from './database-clock.ts';

/** A clock whose local side stands at `local.now`. */
function clockAt(start: number) {
  const local = { now: start };
  return { local, clock: createDatabaseClock(() => local.now) };
}

test('it is unknown until the database has been asked', () => {
  const { clock } = clockAt(1_000);
  expect(clock.known()).toBe(false);
  clock.observe(1_000, 1_001, 50_000);
  expect(clock.known()).toBe(true);
});

test('it takes the answer for as late as it can have been, so it is never ahead', () => {
  const { local, clock } = clockAt(1_000);
  clock.observe(1_000, 1_010, 50_000);
  local.now = 1_010;
  expect(clock.now()).toBe(50_000);
});

test('a quick answer narrows what a slow one left open, and a slow one after it changes nothing', () => {
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

test('between answers it falls back by as much as clocks may drift', () => {
  const { local, clock } = clockAt(1_000);
  clock.observe(1_000, 1_000, 50_000);
  local.now = 3_000;
  expect(clock.now()).toBeCloseTo(51_999, 6);
});

test('a database clock that was set back is followed back', () => {
  const { local, clock } = clockAt(1_000);
  clock.observe(1_000, 1_001, 50_000);
  clock.observe(2_000, 2_001, 41_000);
  local.now = 2_001;
  expect(clock.now()).toBe(41_000);
});

test('a database clock that was set forward is followed forward', () => {
  const { local, clock } = clockAt(1_000);
  clock.observe(1_000, 1_001, 50_000);
  clock.observe(2_000, 2_001, 90_000);
  local.now = 2_001;
  expect(clock.now()).toBe(90_000);
});
