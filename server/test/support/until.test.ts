/** The wait helper of the tests. */
import { expect, test } from 'vitest';
import { until } from './until.ts';

test('returns the first result that is neither false nor undefined', async () => {
  const results = [false, undefined, 0];
  expect(await until('there is a result', () => results.shift())).toBe(0);
});

test('throws an error with the condition before the test times out', { timeout: 2_000 }, async () => {
  await expect(until('the queue is empty', () => false)).rejects.toThrow('without success until the queue is empty.');
});

test('throws an error with the condition if the condition does not return', { timeout: 2_000 }, async () => {
  await expect(until('the queue is empty', () => new Promise<boolean>(() => undefined))).rejects.toThrow(
    'the queue is empty',
  );
});

test('ends after the given seconds if the test lasts longer', { timeout: 600_000 }, async () => {
  await expect(until('the queue is empty', () => false, { seconds: 0.1 })).rejects.toThrow('the queue is empty');
});

test('throws an error of the condition', async () => {
  const condition = (): boolean => {
    throw new Error('no queue');
  };
  await expect(until('the queue is empty', condition)).rejects.toThrow('no queue');
});
