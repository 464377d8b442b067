import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

function times(count: number, run: () => void): void {
  for (let index = 0; index < count; index += 1) run();
}

test('the longer statements take, the more run at a time', () => {
  const pace = new Pace(true);
  expect(pace.mostRunning()).toBe(2);
  pace.ranSingle(0.4, 0);
  expect(pace.mostRunning()).toBe(2);
  times(60, () => pace.ranMerged(5, 10, 0));
  expect(pace.mostRunning()).toBe(5);
  times(60, () => pace.ranMerged(40, 10, 0));
  expect(pace.mostRunning()).toBe(8);
});

test('a wait under load is forgotten after a shorter statement', () => {
  const pace = new Pace(true);
  pace.ranMerged(40, 10, 0);
  pace.ranMerged(1, 10, 0);
  pace.ranMerged(40, 10, 0);
  expect(pace.mostRunning()).toBe(2);
});

test('merging pauses where a slow statement takes longer than its requests one after another', () => {
  const pace = new Pace(true);
  pace.ranMerged(200, 5, 1_000);
  expect(pace.isPaused(1_000)).toBe(true);
  times(10, () => pace.ranSingle(20, 1_000));
  expect(pace.isPaused(10_000)).toBe(true);
  expect(pace.isPaused(11_001)).toBe(false);
});

test('merging pauses where one of the requests is slow', () => {
  const pace = new Pace(true);
  pace.ranMerged(200, 10, 1_000);
  for (const ms of [1, 1, 1, 190, 1, 1, 1, 190, 1, 1]) pace.ranSingle(ms, 1_000);
  expect(pace.isPaused(10_000)).toBe(true);
});

test('merging continues where a statement takes less time than its requests one after another', () => {
  const pace = new Pace(true);
  pace.ranMerged(200, 5, 1_000);
  times(10, () => pace.ranSingle(41, 1_000));
  expect(pace.isPaused(1_001)).toBe(false);
  pace.ranMerged(200, 5, 2_000);
  expect(pace.isPaused(2_000)).toBe(false);
});

test('statements whose plan is the same for any value are not compared', () => {
  const pace = new Pace(false);
  pace.ranMerged(200, 5, 1_000);
  expect(pace.isPaused(1_000)).toBe(false);
});

test('merging pauses after several failures, longer each time', () => {
  const pace = new Pace(false);
  times(3, () => pace.failed(0));
  expect(pace.isPaused(9_000)).toBe(true);
  expect(pace.isPaused(11_000)).toBe(false);
  times(3, () => pace.failed(11_000));
  expect(pace.isPaused(25_000)).toBe(true);
});
