import { describe, expect, test } from 'vitest';
import type { Diagram } from './diagram-model.ts';
import { neighborhoodOf, ofSchemas, readAround, schemasIn, withFewColumns } from './diagram-parts.ts';

const table = (key: string, schema = 'public') => ({
  key,
  table: { schema, name: key },
  columns: [{ name: 'id', is: 'primary' as const }],
  elsewhere: [],
});
const line = (from: string, to: string) => ({
  key: `${from} ${to}`,
  from,
  to,
  pairs: [],
  there: { name: to, type: 'object' as const },
  back: undefined,
});

const diagram: Diagram = {
  tables: [table('shelf', 'depot'), table('item'), table('order'), table('customer'), table('log')],
  lines: [line('item', 'order'), line('order', 'customer'), line('shelf', 'item')],
};
const keys = ({ tables }: Diagram) => tables.map(({ key }) => key);

describe('the neighborhood of a table', () => {
  test('has the tables that one join leads to, in both directions', () => {
    const near = neighborhoodOf(diagram, 'order', 1);
    expect(keys(near)).toEqual(['item', 'order', 'customer']);
    expect(near.lines.map(({ key }) => key)).toEqual(['item order', 'order customer']);
  });

  test('grows with the number of joins', () => {
    expect(keys(neighborhoodOf(diagram, 'order', 2))).toEqual(['shelf', 'item', 'order', 'customer']);
  });

  test('is the table alone when it has no joins', () => {
    expect(neighborhoodOf(diagram, 'log', 2)).toEqual({ tables: [table('log')], lines: [] });
  });
});

test('a choice of schemas has their tables and the lines between them', () => {
  expect(schemasIn(diagram)).toEqual(['public', 'depot']);
  expect(keys(ofSchemas(diagram, ['depot']))).toEqual(['shelf']);
  expect(ofSchemas(diagram, ['depot']).lines).toEqual([]);
  expect(ofSchemas(diagram, [])).toBe(diagram);
});

test('boxes show no columns where there are many tables', () => {
  const many = { tables: Array.from({ length: 90 }, (_one, index) => table(`t${index}`)), lines: [] };
  expect(withFewColumns(many).tables[0]?.columns).toEqual([]);
  expect(withFewColumns(diagram)).toBe(diagram);
});

test('a found table is shown with its neighborhood where there are many tables, unless the address says otherwise', () => {
  expect([readAround(null, 10), readAround(null, 300), readAround('2', 10), readAround('all', 300)]).toEqual([
    'all',
    1,
    2,
    'all',
  ]);
});
