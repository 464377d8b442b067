import { expect, test } from 'vitest';
import { isGraphqlName, suggestedName } from './graphql-names.ts';

test.each([
  ['author', true],
  ['_Author2', true],
  ['users address', false],
  ['2nd', false],
  ['__type', false],
  ['größe', false],
  ['', false],
])('decides whether %j is a GraphQL name', (name, expected) => {
  expect(isGraphqlName(name)).toBe(expected);
});

test.each([
  ['users address', 'users_address'],
  ['2nd', '_2nd'],
  ['__type', 'type'],
  ['Größe (cm)', 'Gro_e_cm'],
  ['a "quoted" name', 'a_quoted_name'],
  ['order-items', 'order_items'],
  ['таблица', undefined],
  ['"', undefined],
])('suggests a GraphQL name for %j', (text, expected) => {
  const suggested = suggestedName(text);
  expect(suggested).toBe(expected);
  if (suggested !== undefined) expect(isGraphqlName(suggested)).toBe(true);
});
