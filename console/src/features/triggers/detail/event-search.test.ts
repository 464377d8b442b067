import { expect, test } from 'vitest';
import { isSearching, readEventSearch, searchArguments } from './event-search.ts';

test('parses valid query parameters and ignores others', () => {
  const address = new URLSearchParams({ from: 'yesterday', data: '{"new":{"id":7}}', page: '2' });
  expect(readEventSearch(address)).toEqual({ data: '{"new":{"id":7}}' });
  expect(isSearching(readEventSearch(new URLSearchParams('from=x')))).toBe(false);
});

test('data is searched as JSON', () => {
  const args = searchArguments({ data: '{"new":{"id":1234567890123}}', until: '2026-01-01T00:00:00Z' });
  expect(JSON.stringify(args)).toBe('{"until":"2026-01-01T00:00:00Z","data_contains":{"new":{"id":1234567890123}}}');
});
