/** Tests of tables of a response. */
import { expect, test } from 'vitest';
import { tablesIn, tabSeparated } from './table-data.ts';

test('finds the lists of objects, with members of nested objects as columns', () => {
  const body = {
    data: {
      customer: [
        { id: 1, address: { city: 'Oslo' } },
        { id: 2, name: null, purchases: [{ id: 3 }] },
      ],
      page: { nodes: [{ id: 4 }] },
      tags: ['a'],
      none: [],
    },
  };
  expect(tablesIn(body)).toEqual([
    {
      path: 'customer',
      columns: ['id', 'address.city', 'name', 'purchases'],
      rows: [
        { id: 1, 'address.city': 'Oslo' },
        { id: 2, name: null, purchases: [{ id: 3 }] },
      ],
    },
    { path: 'page.nodes', columns: ['id'], rows: [{ id: 4 }] },
  ]);
  expect(tablesIn({ errors: [] })).toEqual([]);
  expect(tablesIn('text')).toEqual([]);
});

test('copies as tab-separated text with a header', () => {
  const table = {
    path: 'a',
    columns: ['id', 'name'],
    rows: [
      { id: 1, name: 'x "y"\nz' },
      { id: 2, name: null },
    ],
  };
  expect(tabSeparated(table)).toBe('id\tname\n1\t"x ""y""\nz"\n2\t');
});
