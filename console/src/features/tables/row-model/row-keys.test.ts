import { expect, test } from 'vitest';
import { linkOfValue, nameOfRow, whyReadOnly } from './row-keys.ts';

const info = {
  table: { schema: 'public', name: 'order' },
  kind: 'table' as const,
  comment: null,
  estimated_rows: null,
  insertable: true,
  updatable: true,
  deletable: true,
  columns: [],
  computed_keys: [],
  primary_key: ['id'],
  unique_keys: [],
  foreign_keys: [
    { constraint: 'a', columns: { customer_id: 'id' }, table: { schema: 'public', name: 'customer' } },
    { constraint: 'b', columns: { country: 'country', city: 'name' }, table: { schema: 'geo', name: 'city' } },
  ],
  tracked: true,
  enum: false,
  changed: false,
};

test('links a foreign key value to the referenced row', () => {
  const link = (row: object, column: string) => linkOfValue('default', info, { ...row }, column);
  expect(link({ customer_id: 7 }, 'customer_id')).toBe(
    `/data/default/public/customer/rows?where=${encodeURIComponent('[["id","eq","7"]]')}`,
  );
  expect(link({ country: 'de', city: 'Ulm' }, 'city')).toContain(
    encodeURIComponent('[["country","eq","de"],["name","eq","Ulm"]]'),
  );
  expect([link({ country: null, city: 'Ulm' }, 'city'), link({ id: 1 }, 'id')]).toEqual([undefined, undefined]);
});

test('the name of a row is its key, or its first value', () => {
  expect(nameOfRow({ name: 'x', id: 7 }, info)).toBe('order 7');
  expect(nameOfRow({ name: 'x', id: 7 }, { ...info, primary_key: null })).toBe('order x');
});

test('explains why rows are read-only', () => {
  expect(whyReadOnly(info)).toBeUndefined();
  expect(whyReadOnly({ ...info, primary_key: null })).toContain('primary key');
  expect(whyReadOnly({ ...info, insertable: false, updatable: false, deletable: false })).toContain('read only');
  expect(whyReadOnly({ ...info, primary_key: ['odd name'] })).toContain('SQL');
});
