import { expect, test } from 'vitest';
import type { Predicate } from '../types/table.ts';
import { allOf, anyOf, everyRow, isEveryRow } from './combinators.ts';

const [a, b] = ['a', 'b'].map((name) => ({ kind: 'compare', name }) as unknown as Predicate) as [Predicate, Predicate];
const both: Predicate = { kind: 'and', of: [a, b] };
const either: Predicate = { kind: 'or', of: [] };

test.each<readonly [string, readonly Predicate[], Predicate]>([
  ['of nothing is true', [], everyRow],
  ['of one is that one', [a], a],
  ['of several has all', [a, b], both],
  ['of conjunctions is flat', [both, a], { kind: 'and', of: [a, b, a] }],
  ['of true and one is that one', [everyRow, a], a],
])('the conjunction %s', (_rule, parts, result) => {
  expect(allOf(parts)).toEqual(result);
});

test.each<readonly [string, readonly Predicate[], Predicate]>([
  ['of nothing is false', [], { kind: 'or', of: [] }],
  ['of one is that one', [a], a],
  ['of one that is repeated is that one', [a, a], a],
  ['of several has all', [a, b, a], { kind: 'or', of: [a, b] }],
  ['with true is true', [a, everyRow], everyRow],
  ['of conjunctions keeps them', [both, a], { kind: 'or', of: [both, a] }],
])('the disjunction %s', (_rule, parts, result) => {
  expect(anyOf(parts)).toEqual(result);
});

test('the conjunction of nothing is one object', () => {
  expect(allOf([])).toBe(everyRow);
});

test('only the empty conjunction is trivially true', () => {
  expect([everyRow, both, either, a].map(isEveryRow)).toEqual([true, false, false, false]);
});
