import { expect, test } from 'vitest';
import { sameDraft, sameJson } from './same-draft.ts';

test('drafts with equal values are the same', () => {
  expect(sameDraft({ name: 'a', list: [{ key: 1 }] }, { name: 'a', list: [{ key: 1 }] })).toBe(true);
});

test('an undefined member counts as missing', () => {
  expect(sameDraft({ name: 'a', comment: undefined }, { name: 'a' })).toBe(true);
});

test('another value, order or length is a change', () => {
  expect(sameDraft({ name: 'a' }, { name: 'b' })).toBe(false);
  expect(sameDraft({ list: [1, 2] }, { list: [2, 1] })).toBe(false);
  expect(sameDraft({ list: [1] }, { list: [] })).toBe(false);
});

test('compares the content of sets and maps', () => {
  expect(sameDraft({ roles: new Set(['a']) }, { roles: new Set(['b']) })).toBe(false);
  expect(sameDraft({ roles: new Map([['a', 1]]) }, { roles: new Map([['a', 1]]) })).toBe(true);
});

test('JSON is equal in any order of members, and not in another order of items', () => {
  expect(sameJson({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toBe(true);
  expect(sameJson([1, 2], [2, 1])).toBe(false);
});
