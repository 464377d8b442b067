/** Tests of prefilled relationships. */
import { expect, test } from 'vitest';
import { prefilled } from './prefill.ts';

const customer = { source: 'default', table: { schema: 'public', name: 'customers' } };
const keys = [
  { field: 'customerId', type: 'Int!', columns: [{ column: 'id', type: 'int4' }] },
  {
    field: 'regionCode',
    type: 'String',
    columns: [
      { column: 'id', type: 'int4', problem: 'the field has type String' },
      { column: 'region_code', type: 'text' },
    ],
  },
];

test('the suggestion for the chosen table is preferred', () => {
  const suggestion = {
    name: 'buyer',
    type: 'array' as const,
    source: 'default',
    remote_table: customer.table,
    field_mapping: { customerId: 'id' },
  };
  const other = { ...suggestion, name: 'other', source: 'far' };
  expect(prefilled(customer, keys, [other, suggestion], new Set())).toEqual({
    name: 'buyer',
    type: 'array',
    rows: [{ key: 0, from: 'customerId', to: 'id' }],
  });
});

test('without a suggestion, a field is mapped to the column with its name, in any style', () => {
  expect(prefilled(customer, keys, [], new Set(['customer']))).toEqual({
    name: 'customer_2',
    type: 'object',
    rows: [{ key: 0, from: 'regionCode', to: 'region_code' }],
  });
});

test('a column whose type does not fit the field is not mapped', () => {
  const [, region] = keys;
  const unfit = [{ ...region, field: 'id', type: 'String', columns: region?.columns ?? [] }];
  expect(prefilled(customer, unfit, [], new Set()).rows).toEqual([{ key: 0, from: null, to: null }]);
});
