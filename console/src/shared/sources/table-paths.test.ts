import { expect, test } from 'vitest';
import { matchPath } from '../../router/path-pattern.ts';
import { isTableTab, tableKey, tableLabel, tablePath } from './table-paths.ts';

test.each([['order'], ['a/b'], ['50% "off" ü'], ['..']])(
  'the path of the table %j is parsed to the same table',
  (name) => {
    const path = tablePath('default', { schema: 'odd.schema', name }, 'structure');
    expect(matchPath('/data/:source/:schema/:table/:tab', path)).toEqual({
      source: 'default',
      schema: 'odd.schema',
      table: name,
      tab: 'structure',
    });
  },
);

test('the name of a table includes its schema unless that is public', () => {
  expect(tableLabel({ schema: 'public', name: 'order' })).toBe('order');
  expect(tableLabel({ schema: 'shop', name: 'order' })).toBe('shop.order');
});

test('distinguishes names with dots', () => {
  expect(tableKey({ schema: 'a.b', name: 'c' })).not.toBe(tableKey({ schema: 'a', name: 'b.c' }));
});

test('rejects an unknown tab', () => {
  expect([isTableTab('rows'), isTableTab('policies'), isTableTab(undefined)]).toEqual([true, false, false]);
});
