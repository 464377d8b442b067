import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import { expect, test } from 'vitest';
import { changedSince, isComparable, unchangedConditions } from './row-conflict.ts';

function column(name: string, type: string, more: Partial<ColumnInfo> = {}): ColumnInfo {
  const rest = { nullable: true, has_default: false, default: null, generated: false, identity: null, comment: null };
  return { name, type, sql_type: type, writable: true, ...rest, ...more };
}

test('compares a changed column with its old value, null by "is null"', () => {
  const columns = [column('title', 'text'), column('price', 'numeric'), column('note', 'text')];
  const row = { title: 'a', price: 2, note: null };
  expect(unchangedConditions(row, ['title', 'note'], columns)).toEqual([
    { title: { $eq: 'a' } },
    { note: { $is_null: true } },
  ]);
});

test.each([
  ['text', true],
  ['jsonb', true],
  ['int4[]', true],
  ['timestamptz', true],
  ['json', false],
  ['json[]', false],
  ['xml', false],
  ['point', false],
  ['geometry', false],
])('a column of type %s is compared in the statement: %s', (type, expected) => {
  expect(isComparable(column('a', type))).toBe(expected);
});

test('a column without an equality has no condition', () => {
  expect(unchangedConditions({ doc: { a: 1 } }, ['doc'], [column('doc', 'json')])).toEqual([]);
});

test('a conflict lists the different columns among the saved ones, with their current values', () => {
  const row = { a: 1, b: { x: 1 }, c: null, d: 'old' };
  expect(changedSince(row, { a: 1, b: { x: 2 }, c: 0, d: 'new' }, ['a', 'b', 'c'])).toEqual({ b: { x: 2 }, c: 0 });
});
