import { expect, test } from 'vitest';
import { arranged, emptyLayout, limitedWidth, movedBefore, movedBy, parseLayout } from './column-layout.ts';

test('a stored layout is restored', () => {
  const layout = { order: ['b', 'a'], hidden: ['c'], widths: { a: 120 } };
  expect(parseLayout(JSON.stringify(layout))).toEqual(layout);
});

test.each([null, 'no JSON', '[]', '{"order": 1, "hidden": [2], "widths": {"a": "wide"}}'])(
  'an invalid layout is ignored: %s',
  (text) => {
    expect(parseLayout(text)).toEqual(emptyLayout);
  },
);

test('pinned columns are first, and columns that are not stored are last', () => {
  expect(arranged(['id', 'a', 'b', 'new'], ['id'], { order: ['b', 'dropped', 'a'] })).toEqual(['id', 'b', 'a', 'new']);
});

test('a column moves to the place of another one, in both directions', () => {
  expect(movedBefore(['a', 'b', 'c'], 'a', 'c')).toEqual(['b', 'c', 'a']);
  expect(movedBefore(['a', 'b', 'c'], 'c', 'a')).toEqual(['c', 'a', 'b']);
  expect(movedBefore(['a', 'b'], 'a', 'a')).toEqual(['a', 'b']);
});

test('a column moves past hidden ones', () => {
  expect(movedBy(['a', 'x', 'b'], 'a', 1, ['x'])).toEqual(['x', 'b', 'a']);
  expect(movedBy(['a', 'x', 'b'], 'a', -1, ['x'])).toEqual(['a', 'x', 'b']);
});

test('a width is limited', () => {
  expect([limitedWidth(1), limitedWidth(200.4), limitedWidth(5_000)]).toEqual([60, 200, 900]);
});
