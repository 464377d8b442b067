import { expect, test } from 'vitest';
import { targetOf } from '../relationships/relationship-target.ts';

const info = {
  foreign_keys: [
    { constraint: 'a', columns: { customer_id: 'id' }, table: { schema: 'public', name: 'customer' } },
    { constraint: 'b', columns: { x: 'x', y: 'y' }, table: { schema: 'shop', name: 'place' } },
  ],
};

test.each([
  [{ foreign_key_constraint_on: 'customer_id' }, { schema: 'public', name: 'customer' }],
  [{ foreign_key_constraint_on: ['y', 'x'] }, { schema: 'shop', name: 'place' }],
  [{ foreign_key_constraint_on: { table: 'item', column: 'order_id' } }, { schema: 'public', name: 'item' }],
  [{ foreign_key_constraint_on: { table: { name: 'a', schema: 's' }, columns: ['b'] } }, { schema: 's', name: 'a' }],
  [{ manual_configuration: { remote_table: { name: 'a' }, column_mapping: {} } }, { schema: 'public', name: 'a' }],
  [{ foreign_key_constraint_on: ['x'] }, undefined],
])('the target of %j is %j', (using, target) => {
  expect(targetOf(using, info)).toEqual(target);
});
