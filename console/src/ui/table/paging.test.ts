import { expect, test } from 'vitest';
import { pagesOf, rangeOf, readPage, writePage } from './paging.ts';

test.each([
  ['', { number: 1, size: 20 }],
  ['page=3&size=50', { number: 3, size: 50 }],
  ['page=0', { number: 1, size: 20 }],
  ['page=-1&size=7', { number: 1, size: 20 }],
  ['page=two', { number: 1, size: 20 }],
  ['page=1.5', { number: 1, size: 20 }],
  ['page=1e99', { number: 1, size: 20 }],
])('the query string %j is the page %j', (search, page) => {
  expect(readPage(new URLSearchParams(search))).toEqual(page);
});

test('the first page of the default size has an empty query string', () => {
  expect(writePage({ number: 1, size: 20 })).toEqual({ page: undefined, size: undefined });
  expect(writePage({ number: 2, size: 10 })).toEqual({ page: '2', size: '10' });
});

test('the last page may be short, and an empty list has one page', () => {
  expect([pagesOf(0, 20), pagesOf(20, 20), pagesOf(21, 20)]).toEqual([1, 1, 2]);
});

test('formats the range of rows', () => {
  expect(rangeOf({ number: 2, size: 20 }, 20, 1_320)).toBe('21–40 of 1,320');
  expect(rangeOf({ number: 1, size: 20 }, 3, undefined)).toBe('1–3');
  expect(rangeOf({ number: 1, size: 20 }, 0, 0)).toBe('0 of 0');
});
