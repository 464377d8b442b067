import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { changesBetween, partsOf, searchParts } from './schema-parts.ts';

const before = buildSchema('type Query { b(x: Int): Int, c: A } type A { id: Int } enum E { S M } scalar Gone');
const after = buildSchema('type Query { b(x: Int!): Int, c: A, d: Int } type A { id: Int } enum E { S }');

test('roots come first, and a search finds types by what is in them', () => {
  const parts = partsOf(before);
  expect(parts.map(({ name }) => name)).toEqual(['Query', 'A', 'E', 'Gone']);
  expect(searchParts(parts, ' ID: ').map(({ name }) => name)).toEqual(['A']);
});

test('what has come, gone or changed is told by type and field', () => {
  expect(changesBetween(before, after)).toEqual([
    'E.M was removed',
    'Gone was removed',
    'Query.d is new',
    'Query.b is (x: Int!) Int, and was (x: Int) Int',
  ]);
  expect(changesBetween(before, before)).toEqual([]);
});
