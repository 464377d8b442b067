import { expect, test } from 'vitest';
import { atStart, scrolled, scrolledTo, scrollHeight } from './scroll-scale.ts';

const short = { content: 30_000, viewport: 600 };
const long = { content: 30_000_000, viewport: 600 };

test('a list that browsers can display is not scaled', () => {
  expect(scrollHeight(short.content)).toBe(30_000);
  expect(scrolled(atStart, 12_345, short)).toEqual({ top: 12_345, offset: 12_345 });
  expect(scrolledTo(atStart, 12_345, short)).toEqual({ top: 12_345, offset: 12_345 });
});

test('both ends of a long list are reachable', () => {
  const last = scrollHeight(long.content) - long.viewport;
  expect(scrolled(atStart, last, long).offset).toBe(29_999_400);
  expect(scrolled({ top: last, offset: 29_999_400 }, 0, long).offset).toBe(0);
});

test('the wheel moves a long list by pixels', () => {
  const middle = scrolled(atStart, 7_000_000, long);
  expect(scrolled(middle, 7_000_100, long).offset).toBeCloseTo(middle.offset + 100);
});

test('a drag of the scroll bar moves a long list in proportion', () => {
  const half = (scrollHeight(long.content) - long.viewport) / 2;
  expect(scrolled(atStart, half, long).offset).toBeCloseTo((30_000_000 - 600) / 2);
});

test('a far target of a long list is shown at its own offset', () => {
  const there = scrolledTo(atStart, 20_000_000, long);
  expect(there.offset).toBe(20_000_000);
  expect(scrolled(there, there.top, long).offset).toBe(20_000_000);
});

test('targets beyond the ends are limited', () => {
  expect(scrolledTo(atStart, -50, short).offset).toBe(0);
  expect(scrolledTo(atStart, 99_999, short).offset).toBe(29_400);
});
