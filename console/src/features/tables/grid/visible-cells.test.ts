import { expect, test } from 'vitest';
import { visibleCells } from './visible-cells.ts';

const columns = ['id', 'a', 'b', 'c'].map((name, index) => ({
  name,
  type: 'text',
  about: name,
  width: 100 + index,
  isKey: false,
  isSortable: true,
  isNumber: false,
}));

test('pinned cells have their distance from the start, and the first other cell that of the columns before it', () => {
  const cells = visibleCells({ columns, pinned: 2, places: [0, 1, 3], headWidth: 64, before: 102 });
  expect(cells.map(({ place, isPinned, style }) => ({ place, isPinned, style }))).toEqual([
    { place: 0, isPinned: true, style: { width: 100, left: 64 } },
    { place: 1, isPinned: true, style: { width: 101, left: 164 } },
    { place: 3, isPinned: false, style: { width: 103, marginInlineStart: 102 } },
  ]);
});
