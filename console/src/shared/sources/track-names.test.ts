import { describe, expect, test } from 'vitest';
import { nameErrors, suggestedNames, type TableNameDraft, withNames } from './track-names.ts';

const plain = { schema: 'public', name: 'author' };
const spaced = { schema: 'public', name: 'users address' };
const dashed = { schema: 'my-shop', name: 'item' };

describe('suggested names', () => {
  test('are for the tables and columns without a GraphQL name', () => {
    const unnamed = [{ table: plain, columns: ['first name', '2nd', 'имя'] }];
    expect(suggestedNames([plain, spaced, dashed], unnamed, [])).toEqual([
      {
        table: plain,
        name: undefined,
        columns: [
          { column: 'first name', name: 'first_name' },
          { column: '2nd', name: '_2nd' },
          { column: 'имя', name: '' },
        ],
      },
      { table: spaced, name: 'users_address', columns: [] },
      { table: dashed, name: 'my_shop_item', columns: [] },
    ]);
  });

  test('differ from the names of tracked tables and from each other', () => {
    const tracked = [{ table: plain, configuration: { custom_name: 'users_address' } }];
    const other = { schema: 'public', name: 'users-address' };
    expect(suggestedNames([spaced, other], [], tracked).map(({ name }) => name)).toEqual([
      'users_address_2',
      'users_address_3',
    ]);
  });
});

test('rejects an empty, invalid or repeated name, and accepts a column without one', () => {
  const draft = (name: string, ...columns: readonly string[]): TableNameDraft => ({
    table: spaced,
    name,
    columns: columns.map((one, index) => ({ column: `column ${index}`, name: one })),
  });
  expect(nameErrors([draft('a', '', 'b', 'b', 'c d'), draft(''), draft('1a'), draft('a')])).toEqual({
    'tables.0.columns.2': 'Another column has this name.',
    'tables.0.columns.3': expect.stringContaining('Letters'),
    'tables.1.name': expect.stringContaining('Enter a name'),
    'tables.2.name': expect.stringContaining('Letters'),
    'tables.3.name': 'users address has this name.',
  });
});

test('adds the names to the configuration of their tables', () => {
  const drafts = [
    {
      table: spaced,
      name: ' address ',
      columns: [
        { column: 'a b', name: 'ab' },
        { column: 'c d', name: '' },
      ],
    },
  ];
  expect(withNames([plain, spaced], drafts)).toEqual([
    { table: plain },
    { table: spaced, configuration: { custom_name: 'address', column_config: { 'a b': { custom_name: 'ab' } } } },
  ]);
});
