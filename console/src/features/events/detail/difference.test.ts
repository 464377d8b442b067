import { expect, test } from 'vitest';
import { differenceOf } from './difference.ts';

test('lists changed columns first, and columns that only one row has as changed', () => {
  expect(differenceOf({ id: 1, name: 'a', gone: true }, { id: 1, name: 'b', added: null })).toEqual([
    { column: 'name', isChanged: true, before: '"a"', after: '"b"' },
    { column: 'added', isChanged: true, before: undefined, after: 'null' },
    { column: 'gone', isChanged: true, before: 'true', after: undefined },
    { column: 'id', isChanged: false, before: '1', after: '1' },
  ]);
});

test('compares nested values as JSON', () => {
  const [column] = differenceOf({ tags: ['a', { b: 1 }] }, { tags: ['a', { b: 2 }] }) ?? [];
  expect(column).toMatchObject({ isChanged: true, before: '["a",{"b":1}]', after: '["a",{"b":2}]' });
});

test('there is no difference without two rows', () => {
  expect(differenceOf(null, { id: 1 })).toBeUndefined();
});
