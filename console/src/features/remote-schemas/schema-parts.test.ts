import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { changesBetween, partsOf, searchParts } from './schema-parts.ts';

const before = buildSchema('type Query { b(x: Int): Int, c: A } type A { id: Int } enum E { S M } scalar Gone');
const after = buildSchema('type Query { b(x: Int!): Int, c: A, d: Int } type A { id: Int } enum E { S }');

test('lists roots first, and searches types by content', () => {
  const parts = partsOf(before);
  expect(parts.map(({ name }) => name)).toEqual(['Query', 'A', 'E', 'Gone']);
  expect(searchParts(parts, ' ID: ').map(({ name }) => name)).toEqual(['A']);
});

test('lists added, removed and changed types and fields', () => {
  expect(changesBetween(before, after)).toEqual([
    'E.M was removed',
    'Gone was removed',
    'Query.d is new',
    'Query.b is (x: Int!) Int, and was (x: Int) Int',
  ]);
  expect(changesBetween(before, before)).toEqual([]);
});
