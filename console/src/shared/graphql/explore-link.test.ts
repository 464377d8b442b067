/** Tests of links to the explorer. */
import { expect, test } from 'vitest';
import { exploreLink, linkedOperation } from './explore-link.ts';

const operation = { query: '{ a(b: "&=#") }', variables: '{"n":1}', role: 'user', session: 'user-id: 7' };
const none = new URLSearchParams('page=2');

test('writes an operation to the fragment of a link and reads it back', () => {
  const link = new URL(exploreLink(operation), 'https://joinery.test');
  expect(link.search).toBe('');
  expect(linkedOperation(link.hash, none)).toEqual(operation);
});

test('reads an operation from the query string of a former link', () => {
  expect(linkedOperation('', new URLSearchParams({ query: '{ a }' }))?.query).toBe('{ a }');
  expect(linkedOperation('#main', none)).toBeUndefined();
});
