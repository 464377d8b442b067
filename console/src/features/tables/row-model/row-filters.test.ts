import { expect, test } from 'vitest';
import { sampleColumn } from '../../../shared/sources/sample-column.ts';
import { filterProblem, operatorsFor, parseFilters, printFilters, whereOf } from './row-filters.ts';

const columns = [
  sampleColumn('id', 'int4', { nullable: false }),
  sampleColumn('name', 'text'),
  sampleColumn('tags', 'jsonb'),
];

test('offers the operators of the column type', () => {
  expect(operatorsFor(columns[0] ?? sampleColumn('', ''))).toEqual(['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in']);
  expect(operatorsFor(sampleColumn('a', 'uuid'))).toEqual(['eq', 'neq', 'in', 'null', 'not_null']);
  expect(operatorsFor(sampleColumn('a', 'json'))).toEqual(['null', 'not_null']);
  expect(operatorsFor(sampleColumn('a', 'hstore'))).toEqual(['eq', 'neq', 'null', 'not_null']);
});

test('combines filters with AND', () => {
  expect(
    whereOf(
      [
        { column: 'id', operator: 'in', text: '1, 2' },
        { column: 'name', operator: 'holds', text: '50%_' },
        { column: 'name', operator: 'not_null', text: '' },
        { column: 'tags', operator: 'contains', text: '{"a": 1}' },
      ],
      columns,
    ),
  ).toEqual({
    $and: [
      { id: { _in: [1, 2] } },
      { name: { _ilike: String.raw`%50\%\_%` } },
      { name: { _is_null: false } },
      { tags: { _contains: { a: 1 } } },
    ],
  });
  expect(whereOf([], columns)).toEqual({});
});

test('reports invalid filters', () => {
  expect(filterProblem({ column: 'id', operator: 'eq', text: 'x' }, columns)).toBe('Must be a whole number.');
  expect(filterProblem({ column: 'id', operator: 'in', text: '1,x' }, columns)).toBe('Must be a whole number.');
  expect(filterProblem({ column: 'gone', operator: 'eq', text: 'x' }, columns)).toContain('gone');
  expect(filterProblem({ column: 'name', operator: 'eq', text: '' }, columns)).toBeUndefined();
});

test('stores filters in the query string, and ignores invalid ones', () => {
  const filters = [{ column: 'name', operator: 'eq' as const, text: 'a, "b"' }];
  expect(parseFilters(printFilters(filters) ?? null)).toEqual(filters);
  expect(printFilters([])).toBeUndefined();
  for (const text of [null, '{', '7', '[1]', '[["a","toString","x"]]', '[["a","eq"]]']) {
    expect(parseFilters(text)).toEqual([]);
  }
});
