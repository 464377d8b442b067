import { expect, test } from 'vitest';
import { invocationArguments, isInvocationSearchSlow, readInvocationSearch } from './invocation-search.ts';

test.each([
  ['', {}],
  ['result=failure&page=3', { status: ['1xx', '3xx', '4xx', '5xx', 'none'] }],
  ['result=5xx&destination=https://a', { status: ['5xx'], destination: 'https://a' }],
  ['result=odd&from=yesterday&text=%20', {}],
  ['from=2026-01-01T00:00:00Z&text=out', { from: '2026-01-01T00:00:00Z', text: 'out' }],
])('the query string "%s" searches calls by %j', (address, args) => {
  expect(invocationArguments(readInvocationSearch(new URLSearchParams(address)))).toEqual(args);
});

test('does not count calls if that would read all of them', () => {
  expect(isInvocationSearchSlow({ result: '5xx', from: '2026-01-01T00:00:00Z' })).toBe(false);
  expect(isInvocationSearchSlow({ text: 'x' })).toBe(true);
});
