import { expect, test } from 'vitest';
import { readSorting, turned, writeSorting } from './sorting.ts';

test('a click sorts by a column, the next click reverses the order', () => {
  const first = turned(undefined, 'tries');
  expect(first).toEqual({ by: 'tries', direction: 'asc' });
  expect(turned(first, 'tries')).toEqual({ by: 'tries', direction: 'desc' });
  expect(turned({ by: 'tries', direction: 'desc' }, 'status')).toEqual({ by: 'status', direction: 'asc' });
});

test('reads the order from the query string, and ignores unknown columns', () => {
  const sorting = { by: 'tries', direction: 'desc' } as const;
  expect(readSorting(writeSorting(sorting), ['tries'])).toEqual(sorting);
  expect(readSorting('tries', ['tries'])).toEqual({ by: 'tries', direction: 'asc' });
  expect(readSorting('-password', ['tries'])).toBeUndefined();
  expect(readSorting(null, ['tries'])).toBeUndefined();
});
