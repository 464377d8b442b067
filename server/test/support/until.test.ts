/** The wait helper of the tests. */
import { expect, test } from 'vitest';
import { until } from './until.ts';

test('returns the first result that is neither false nor undefined', async () => {
  const results = [false, undefined, 0];
  expect(await until('there is a result', () => results.shift())).toBe(0);
});

test('throws what it waited for before the test times out', { timeout: 2_000 }, async () => {
  await expect(until('the sun rises', () => false)).rejects.toThrow('in vain until the sun rises.');
});

test('throws what it waited for if the condition does not return', { timeout: 2_000 }, async () => {
  await expect(until('the sun rises', () => new Promise<boolean>(() => undefined))).rejects.toThrow('the sun rises');
});

test('ends after the given seconds if the test lasts longer', { timeout: 600_000 }, async () => {
  await expect(until('the sun rises', () => false, { seconds: 0.1 })).rejects.toThrow('the sun rises');
});

test('passes an error of the condition on', async () => {
  const condition = (): boolean => {
    throw new Error('no sun');
  };
  await expect(until('the sun rises', condition)).rejects.toThrow('no sun');
});
