import { expect, test } from 'vitest';
import { runAtOnce, runInSlices, type Steps } from './steps.ts';

function* counting(end: number, stepMs = 0): Steps<number> {
  let count = 0;
  for (; count < end; count += 1) {
    yield;
    for (const until = performance.now() + stepMs; performance.now() < until; );
  }
  return count;
}

test('steps that run synchronously return their result', () => {
  expect(runAtOnce(counting(3))).toBe(3);
});

test('steps that run in slices return their result', async () => {
  await expect(runInSlices(counting(3))).resolves.toBe(3);
});

test('the error of a step rejects the promise', async () => {
  function* failing(): Steps<never> {
    yield;
    throw new Error('no');
  }
  await expect(runInSlices(failing())).rejects.toThrow('no');
});

test('other events are handled between slices', async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  await runInSlices(counting(100, 1));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

test('work of less than a slice is not interrupted', async () => {
  let handled = false;
  setImmediate(() => {
    handled = true;
  });
  await runInSlices(counting(3));
  expect(handled).toBe(false);
});
