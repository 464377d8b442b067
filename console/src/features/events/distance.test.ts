import { expect, test } from 'vitest';
import { readDistance } from './distance.ts';

test.each([
  ['2 hours', 7_200],
  ['in 2 hours', 7_200],
  ['1 day, 6h', 108_000],
  ['1.5 min', 90],
  ['1 week and 30 seconds', 604_830],
  ['', undefined],
  ['2', undefined],
  ['2 moons', undefined],
  ['hours', undefined],
])('%j is %j seconds', (text, seconds) => {
  expect(readDistance(text)).toBe(seconds);
});
