import { expect, test } from 'vitest';
import { nameOfReferred, nameOfReferring } from './relationship-names.ts';

const names = (...taken: string[]) => ({ taken: new Set(taken), convention: undefined });

test.each([
  [['customer_id'], 'customers', [], 'customer'],
  [['billing_address_id'], 'address', [], 'billing_address'],
  [['authorId'], 'people', [], 'author'],
  [['owner'], 'categories', ['owner'], 'category'],
  [['country', 'city'], 'places', [], 'place'],
  [['customer_id'], 'customer', ['customer'], 'customer_by_customer_id'],
  [['id'], 'base table', [], 'base_table'],
  [['x'], '2nd', [], '_2nd'],
])('suggests a name for the foreign key %j to %s, with the names %j in use: %s', (columns, table, taken, name) => {
  expect(nameOfReferred(columns, table, names(...taken))).toBe(name);
});

test.each([
  [['customer_id'], 'order', [], 'orders'],
  [['customer_id'], 'orders', [], 'orders'],
  [['city_id'], 'address', [], 'addresses'],
  [['shop_id'], 'category', [], 'categories'],
  [['shop_id'], 'bus', [], 'buses'],
  [['billing_id'], 'order', ['orders'], 'orders_by_billing_id'],
  [['billing_id'], 'order', ['orders_aggregate'], 'orders_by_billing_id'],
  [['billing_id'], 'order', ['orders', 'orders_by_billing_id'], 'orders_by_billing_id_2'],
])('suggests a name for referring rows by %j from %s, with the names %j in use: %s', (columns, table, taken, name) => {
  expect(nameOfReferring(columns, table, false, names(...taken))).toBe(name);
});

test('suggests an object relationship for a unique key', () => {
  expect(nameOfReferring(['customer_id'], 'profiles', true, names())).toBe('profile');
});

test('applies the naming convention of the source', () => {
  const convention = 'graphql-default' as const;
  expect(nameOfReferring(['order_id'], 'order_item', false, { taken: new Set(), convention })).toBe('orderItems');
});
