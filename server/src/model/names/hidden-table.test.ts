/** Tests of the reasons why a table is in no schema. */
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { expect, test } from 'vitest';
import { draftOf } from '../../../test/support/model/draft.ts';
import type { DraftTable } from '../types/draft.ts';
import { whyHidden } from './hidden-table.ts';

function table(more: Partial<DraftTable> = {}): DraftTable {
  const { draft } = draftOf({ tables: { author: { id: 'Int' } } });
  const [found] = draft.sources.get(DEFAULT_SOURCE)?.tables.values() ?? [];
  if (found === undefined) throw new Error('no table');
  return { ...found, ...more };
}
const { roots, mutationRoots } = table();

test('a table with names and columns of GraphQL is in the schema', () => {
  expect(whyHidden(table(), 'author')).toBeUndefined();
  expect(whyHidden(table(), 'a b')).toBeUndefined();
});

const affixes = (name: string, kind: string, member: string) =>
  `the name "${name}" of a ${kind} of it is not a GraphQL name, so the table, relationships to it and functions that return its rows are in no schema; set other ${member} in the customization of the source, or a custom_name for the table`;

test.each<[string, Partial<DraftTable>, string]>([
  ['the type', { typeSuffix: '-' }, affixes('author-', 'type', 'type_names')],
  ['a query', { roots: { ...roots, select_by_pk: '1' } }, affixes('1', 'root field', 'root_fields')],
  ['the stream', { streamRoot: 'a b' }, affixes('a b', 'root field', 'root_fields')],
  ['the connection', { connectionRoot: '-' }, affixes('-', 'root field', 'root_fields')],
  [
    'a mutation',
    { mutationRoots: { ...mutationRoots, delete_by_pk: 'a-' } },
    affixes('a-', 'root field', 'root_fields'),
  ],
])('a table is hidden by an invalid name of %s', (_what, more, reason) => {
  expect(whyHidden(table(more), 'author')).toBe(reason);
});

test.each([
  ['order item', '"order item" is not a GraphQL name', 'set a custom_name such as "order_item" in its configuration'],
  ['\u{1F600}', '"\u{1F600}" is not a GraphQL name', 'set a custom_name in its configuration'],
])('a table is hidden by its name "%s"', (base, what, remedy) => {
  const reason = whyHidden(table({ graphqlName: base }), base);
  expect(reason?.startsWith(`${what}, so the table,`)).toBe(true);
  expect(reason?.endsWith(`are in no schema; ${remedy}`)).toBe(true);
});

test.each<[string, Partial<DraftTable>, string, string]>([
  [
    'any column',
    { columns: new Map(), columnsByName: new Map() },
    'it has no column with a type of GraphQL',
    'add a column, or untrack the table',
  ],
  [
    'a column with a GraphQL name',
    { columns: new Map() },
    'none of its columns has a GraphQL name',
    'set a custom_name for columns in column_config of its configuration',
  ],
])('a table is hidden without %s', (_what, more, what, remedy) => {
  const reason = whyHidden(table(more), 'author');
  expect(reason?.startsWith(`${what}, so the table,`)).toBe(true);
  expect(reason?.endsWith(`; ${remedy}`)).toBe(true);
});
