import { expect, test } from 'vitest';
import { sampleColumn } from '../../../shared/sources/sample-column.ts';
import { referenceOptions, referenceQuery } from './reference-search.ts';

const customer = { columns: [sampleColumn('id', 'int8'), sampleColumn('name', 'text'), sampleColumn('vip', 'bool')] };
const reference = {
  constraint: 'order_customer_id_fkey',
  columns: { customer_id: 'id' },
  table: { schema: 'public', name: 'customer' },
};

test('a search finds rows by their key and by their texts', () => {
  expect(referenceQuery(customer, reference, ' 7 ').where).toEqual({
    $or: [{ id: { _eq: 7 } }, { name: { _ilike: '%7%' } }],
  });
});

test('text that is no key searches the texts only', () => {
  expect(referenceQuery(customer, reference, '50%').where).toEqual({ $or: [{ name: { _ilike: String.raw`%50\%%` } }] });
  expect(referenceQuery(customer, reference, '99999999999999999999').where).toEqual({
    $or: [{ name: { _ilike: '%99999999999999999999%' } }],
  });
});

test('no search lists the first rows', () => {
  expect(referenceQuery(customer, reference, '')).toEqual({
    columns: ['id', 'name'],
    where: {},
    order: [{ column: 'id', type: 'asc' }],
    limit: 100,
    offset: 0,
  });
});

test('a key of several columns sets all of them', () => {
  const shelf = {
    columns: [sampleColumn('hall', 'text'), sampleColumn('number', 'int4'), sampleColumn('label', 'text')],
  };
  const pair = { ...reference, columns: { in_hall: 'hall', on_shelf: 'number' } };
  expect(referenceOptions(shelf, pair, [{ hall: 'A', number: 3, label: 'left' }])).toEqual([
    {
      key: 'A, 3',
      label: 'A, 3',
      about: 'left',
      drafts: { in_hall: { mode: 'value', text: 'A' }, on_shelf: { mode: 'value', text: '3' } },
    },
  ]);
});
