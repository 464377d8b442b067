import { expect, test } from 'vitest';
import { adaptiveInterval, intervalAfter, timed } from './polling.ts';

test('polls fast requests often and slow requests rarely', () => {
  expect([intervalAfter(undefined), intervalAfter(3), intervalAfter(2_000)]).toEqual([4_000, 4_000, 40_000]);
  expect(adaptiveInterval({ state: { data: { value: [], durationMs: 1_000 } } })).toBe(20_000);
});

test('returns a result with its duration', async () => {
  expect(await timed(Promise.resolve('x'))).toEqual({ value: 'x', durationMs: expect.any(Number) });
});
