import { expect, test } from 'vitest';
import { isSearching, readSearch, searchArguments } from './event-search.ts';

test('writes a search to the query string and reads it back', () => {
  const search = { from: '2027-01-01T00:00:00.000Z', comment: 'renewal & more', payload: '{"id": 7}' };
  expect(readSearch(new URLSearchParams(search))).toEqual(search);
});

test('ignores invalid search parameters', () => {
  const found = readSearch(new URLSearchParams({ payload: '{"id":', from: 'soon', comment: '  ', key: 'a' }));
  expect(found).toEqual({ key: 'a' });
  expect(isSearching(found)).toBe(true);
  expect(isSearching({})).toBe(false);
});

// Node 20 has no `JSON.rawJSON`; the supported browsers have it.
test.runIf('rawJSON' in JSON)('searches payloads for numbers with all digits', () => {
  const args = searchArguments({ key: 'a', payload: '{"id":12345678901234567890}' });
  expect(JSON.stringify(args)).toBe('{"key":"a","payload_contains":{"id":12345678901234567890}}');
});
