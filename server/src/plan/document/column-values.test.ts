import { describe, expect, test } from 'vitest';
import { inputSchema } from '../../../test/support/model/input-schema.ts';
import { variableUses } from './column-values.ts';
import { readDocument } from './documents.ts';

/** Returns the uses of the variables of the first operation by name. */
function usesOf(query: string) {
  const { operations, fragments } = readDocument(inputSchema, query);
  const [operation] = operations;
  if (operation === undefined) throw new Error('no operation');
  return Object.fromEntries(variableUses(inputSchema, operation, fragments));
}

describe('the use of a variable', () => {
  test.each([
    ['is 0 for the value of a column', '($a: Int) { list(equals: $a) { id } }', 0],
    ['is 0 for the value of an array column', '($a: [String!]) { list(tags: $a) { id } }', 0],
    ['is 1 for a list of values of a column', '($a: [Int!]) { list(where: {in: $a}) { id } }', 1],
    ['is 0 for an item of a list of values', '($a: Int!) { list(where: {in: [1, $a]}) { id } }', 0],
    ['is 0 for an array in a list of values', '($a: [String!]!) { list(tagsIn: [$a]) { id } }', 0],
    ['is 0 for an item of an array of a list of values', '($a: String!) { list(tagsIn: [[$a]]) { id } }', 0],
    ['is undefined for other arguments', '($a: Int) { list(limit: $a) { id } }', undefined],
    ['is undefined for other lists', '($a: [String!]) { list(words: $a) { id } }', undefined],
    ['is undefined for an item of another list', '($a: String!) { list(words: [$a]) { id } }', undefined],
    ['is undefined for other members of objects', '($a: Int) { list(where: {count: $a}) { id } }', undefined],
    ['is undefined for a condition', '($a: Condition) { list(where: $a) { id } }', undefined],
    [
      'is undefined for an item of a list of conditions',
      '($a: Condition!) { list(where: {and: [$a]}) { id } }',
      undefined,
    ],
    ['is 0 for the member of a nested condition', '($a: Int) { list(where: {and: [{equals: $a}]}) { id } }', 0],
    [
      'is 0 after an object within the same argument',
      '($a: Int) { list(where: {and: [{count: 1}], equals: $a}) { id } }',
      0,
    ],
    [
      'is undefined after the value of a column',
      '($a: Condition!) { list(where: {and: [{equals: 1}, $a]}) { id } }',
      undefined,
    ],
    ['is undefined after an array', '($a: Condition!) { list(where: {and: [{tags: ["a"]}, $a]}) { id } }', undefined],
    ['is that of the list after an item that is a list', '($a: [String!]!) { list(tagsIn: [["a"], $a]) { id } }', 0],
    ['is digits for an argument that takes digits', '($a: Int) { list(offset: $a) { id } }', 'digits'],
    ['is undefined for the argument of a directive', '($a: Boolean!) { id @include(if: $a) }', undefined],
    ['is undefined after an argument for a column', '($a: Int) { list(equals: 1, limit: $a) { id } }', undefined],
    ['is that in a fragment', '($a: Int) { ...A } fragment A on List { list(equals: $a) { id } }', 0],
    [
      'is that in a fragment within a fragment',
      '($a: Int) { ...A } fragment B on List { list(equals: $a) { id } } fragment A on List { list { ...B } }',
      0,
    ],
    ['is that of all of its uses', '($a: Int) { list(equals: $a) { list(equals: $a) { id } } }', 0],
    ['is undefined for several uses', '($a: Int) { list(equals: $a, limit: $a) { id } }', undefined],
    ['is mixed for a list with several uses', '($a: [Int!]) { list(ints: $a, otherInts: $a) { id } }', 'mixed'],
    [
      'is mixed for a non-null list with several uses',
      '($a: [Int!]!) { list(ints: $a, otherInts: $a) { id } }',
      'mixed',
    ],
    [
      'is undefined for a list with several uses, of which none is the value of a column',
      '($a: [Int!]) { list(otherInts: $a, where: {in: $a}) { id } }',
      undefined,
    ],
    [
      'is undefined for a non-null scalar with several uses',
      '($a: Int!) { list(equals: $a, limit: $a) { id } }',
      undefined,
    ],
  ])('%s', (_rule, query, use) => {
    expect(usesOf(`query ${query}`)).toEqual({ a: use });
  });

  test('is missing for a variable that the operation does not use', () => {
    const other = 'fragment A on List { list(equals: $b) { id } }';
    expect(usesOf(`query ($a: Int = 1, $b: Int) { id } ${other}`)).toEqual({});
  });

  test('is found for each variable', () => {
    expect(usesOf('query ($a: Int, $b: [String!]) { list(equals: $a, words: $b, offset: $a) { id } }')).toEqual({
      a: undefined,
      b: undefined,
    });
  });
});
