import { describe, expect, test } from 'vitest';
import { parentIndex, type TreeSource, treeRows } from './table-tree.ts';

const table = (label: string, isTracked = true) => {
  const [schema = '', name = ''] = label.split('.');
  return { table: { schema, name }, isTracked };
};

const shop: TreeSource = {
  name: 'default',
  tables: [table('public.order'), table('public.customer'), table('depot.shelf', false)],
};
const open = { text: '', closed: new Set<string>() };
const lines = (sources: readonly TreeSource[], search = open) =>
  treeRows(sources, search).map(({ level, label }) => `${'  '.repeat(level - 1)}${label}`);

describe('the tree of one source', () => {
  test('has no row for the source', () => {
    expect(lines([shop])).toEqual(['public', '  customer', '  order', 'depot', '  shelf']);
  });

  test('has no row for the schema when there is only public', () => {
    expect(lines([{ name: 'default', tables: [table('public.b'), table('public.a')] }])).toEqual(['a', 'b']);
  });

  test('hides the tables of a closed schema', () => {
    expect(lines([shop], { text: '', closed: new Set([JSON.stringify(['default', 'public'])]) })).toEqual([
      'public',
      'depot',
      '  shelf',
    ]);
  });
});

test('the tree of several sources has a row for each', () => {
  const other = { name: 'archive', tables: [table('public.old')] };
  expect(lines([shop, other])).toEqual([
    'default',
    '  public',
    '    customer',
    '    order',
    '  depot',
    '    shelf',
    'archive',
    '  old',
  ]);
});

test('a search shows the tables whose name has all words, also of closed groups', () => {
  const closed = new Set([JSON.stringify(['default', 'depot'])]);
  expect(lines([shop], { text: 'DEPOT sh', closed })).toEqual(['depot', '  shelf']);
  expect(lines([shop], { text: 'absent', closed })).toEqual([]);
});

test('rows have the position among their siblings, for assistive technology', () => {
  expect(treeRows([shop], open).map(({ position, size }) => `${position}/${size}`)).toEqual([
    '1/2',
    '1/2',
    '2/2',
    '2/2',
    '1/1',
  ]);
});

test('the parent of a row is the group above it', () => {
  const rows = treeRows([shop], open);
  expect([0, 2, 3, 4].map((index) => parentIndex(rows, index))).toEqual([undefined, 0, undefined, 3]);
});
