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
])('the key %j to %s, with %j taken, is called %s', (columns, table, taken, name) => {
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
])('rows that refer by %j from %s, with %j taken, are called %s', (columns, table, taken, name) => {
  expect(nameOfReferring(columns, table, false, names(...taken))).toBe(name);
});

test('a unique key gives a relationship to one row', () => {
  expect(nameOfReferring(['customer_id'], 'profiles', true, names())).toBe('profile');
});

test('names follow the convention of the source', () => {
  const convention = 'graphql-default' as const;
  expect(nameOfReferring(['order_id'], 'order_item', false, { taken: new Set(), convention })).toBe('orderItems');
});
