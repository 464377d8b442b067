import { expect, test } from 'vitest';
import { changeSearch, matchPath } from './path-pattern.ts';

test.each([
  ['/', '/', {}],
  ['/events/one-off/:view', '/events/one-off/pending', { view: 'pending' }],
  ['/events/one-off/:view', '/events/one-off/a%20b/', { view: 'a b' }],
  ['/events/one-off/:view', '/events/one-off/%E0%A4%A', { view: '%E0%A4%A' }],
  ['/events/one-off/:view', '/events/one-off', undefined],
  ['/events/one-off/:view', '/events/cron/pending', undefined],
  ['/', '/events', undefined],
])('%s takes %s as %j', (pattern, path, params) => {
  expect(matchPath(pattern, path)).toEqual(params);
});

test('changes, adds and removes members of a query string', () => {
  expect(changeSearch('?page=2&sort=-tries', { page: undefined, status: 'dead' })).toBe('?sort=-tries&status=dead');
  expect(changeSearch('?page=2', { page: undefined })).toBe('');
});
