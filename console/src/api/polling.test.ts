import { expect, test } from 'vitest';
import { pauseAfter, politely, timed } from './polling.ts';

test('what is read quickly is read often, what takes long is read seldom', () => {
  expect([pauseAfter(undefined), pauseAfter(3), pauseAfter(2_000)]).toEqual([4_000, 4_000, 40_000]);
  expect(politely({ state: { data: { value: [], tookMs: 1_000 } } })).toBe(20_000);
});

test('a result comes with the time it took', async () => {
  expect(await timed(Promise.resolve('x'))).toEqual({ value: 'x', tookMs: expect.any(Number) });
});
