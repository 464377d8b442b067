import { expect, test } from 'vitest';
import { nameOfReferred, nameOfReferring, singular } from './relationship-names.ts';

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
  [['owner_uuid'], 'people', [], 'owner'],
  [['owner_fk'], 'people', [], 'owner'],
  [['owner_ID'], 'people', [], 'owner'],
  [['_id'], 'people', [], 'people'],
  [['owner_id', 'shop_id'], 'people', [], 'people'],
  [['owner_ids'], 'people', [], 'people'],
  [['a', 'b'], 'people', ['people'], 'people_by_a_b'],
  [['a'], 'people', ['people', 'people_by_a', 'people_by_a_2'], 'people_by_a_3'],
  [['a'], 'people', ['people_aggregate'], 'people'],
  [['a'], 'né', [], 'n_'],
  [['a'], '..', [], '_'],
])('suggests a name for the foreign key %j to %s, with the names %j in use: %s', (columns, table, taken, name) => {
  expect(nameOfReferred(columns, table, names(...taken))).toBe(name);
});

test.each([
  [['customer_id'], 'order', [], 'orders'],
  [['customer_id'], 'orders', [], 'orders'],
  [['city_id'], 'address', [], 'addresses'],
  [['shop_id'], 'category', [], 'categories'],
  [['shop_id'], 'bus', [], 'buses'],
  [['a_id'], 'class', [], 'classes'],
  [['a_id'], 'box', [], 'boxes'],
  [['a_id'], 'quiz', [], 'quizes'],
  [['a_id'], 'batch', [], 'batches'],
  [['a_id'], 'dish', [], 'dishes'],
  [['a_id'], 'day', [], 'days'],
  [['a_id'], 'CITY', [], 'CITies'],
  [['a_id'], 'analysis', [], 'analysises'],
  [['a_id'], 'days', [], 'days'],
  [['billing_id'], 'order', ['orders'], 'orders_by_billing_id'],
  [['billing_id'], 'order', ['ordersAggregate'], 'orders_by_billing_id'],
  [['a', 'b'], 'order', ['orders'], 'orders_by_a_b'],
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

test.each([
  ['orders', 'order'],
  ['categories', 'category'],
  ['ties', 'tie'],
  ['movies', 'movy'],
  ['keys', 'key'],
  ['classes', 'class'],
  ['boxes', 'box'],
  ['batches', 'batch'],
  ['dishes', 'dish'],
  ['buzzes', 'buzz'],
  ['class', 'class'],
  ['bus', 'bus'],
  ['analysis', 'analysis'],
  ['ORDERS', 'ORDER'],
  ['s', 's'],
])('the singular of %s is %s', (word, one) => {
  expect(singular(word)).toBe(one);
});
