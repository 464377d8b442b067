import { expect, test } from 'vitest';
import { isTypedKey, limited, placeAfter, placeAfterEdit } from './grid-keys.ts';

const size = { rows: 100, columns: 5, page: 20 };
const key = (name: string, ctrlKey = false) => ({ key: name, ctrlKey, metaKey: false });

test.each([
  ['ArrowDown', false, { row: 11, column: 2 }],
  ['ArrowUp', false, { row: 9, column: 2 }],
  ['ArrowDown', true, { row: 99, column: 2 }],
  ['Home', false, { row: 10, column: 0 }],
  ['End', false, { row: 10, column: 4 }],
  ['End', true, { row: 99, column: 4 }],
  ['PageDown', false, { row: 30, column: 2 }],
  ['PageUp', false, { row: 0, column: 2 }],
])('%s (Ctrl: %s) moves to %j', (name, ctrl, expected) => {
  expect(placeAfter({ row: 10, column: 2 }, key(name, ctrl), size)).toEqual(expected);
});

test('the header is above the first row', () => {
  expect(placeAfter({ row: 0, column: 2 }, key('ArrowUp'), size)).toEqual({ row: -1, column: 2 });
  expect(placeAfter({ row: -1, column: 2 }, key('ArrowUp'), size)).toEqual({ row: -1, column: 2 });
});

test('other keys do not move', () => {
  expect(placeAfter({ row: 0, column: 0 }, key('a'), size)).toBeUndefined();
});

test('a place outside of a grid that has become smaller is moved inside', () => {
  expect(limited({ row: 50, column: 9 }, { rows: 3, columns: 2 })).toEqual({ row: 2, column: 1 });
  expect(limited({ row: 50, column: 9 }, { rows: 0, columns: 0 })).toEqual({ row: -1, column: 0 });
});

test('Tab continues in the next row and ends after the last cell', () => {
  expect(placeAfterEdit({ row: 0, column: 4 }, 'next', size)).toEqual({ row: 1, column: 0 });
  expect(placeAfterEdit({ row: 1, column: 0 }, 'previous', size)).toEqual({ row: 0, column: 4 });
  expect(placeAfterEdit({ row: 99, column: 4 }, 'next', size)).toEqual({ row: 99, column: 4 });
  expect(placeAfterEdit({ row: 0, column: 0 }, 'previous', size)).toEqual({ row: 0, column: 0 });
});

test('Enter continues below, and the arrows do not reach the header', () => {
  expect(placeAfterEdit({ row: 3, column: 2 }, 'down', size)).toEqual({ row: 4, column: 2 });
  expect(placeAfterEdit({ row: 0, column: 2 }, 'up', size)).toEqual({ row: 0, column: 2 });
});

test('characters begin an edit, shortcuts and the space bar do not', () => {
  const typed = (name: string, ctrl = false) => isTypedKey({ ...key(name, ctrl), altKey: false });
  expect([typed('a'), typed('7'), typed(' '), typed('s', true), typed('Enter')]).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
