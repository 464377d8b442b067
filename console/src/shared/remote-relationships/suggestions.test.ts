import type { SourceFunction } from '@joinery/metadata/api/sources/catalog';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import type { KeyOwner } from '../remote-fields/argument-values.ts';
import { hasSameTarget, suggestedActions, suggestedFields, suggestedFunctions } from './suggestions.ts';

const key = (name: string, type: string) => ({ name, type, sqlType: type });
const owner: KeyOwner = {
  name: 'order',
  noun: 'column',
  keys: [key('id', 'int4'), key('customer_id', 'int4'), key('note', 'text')],
};

const schema = buildSchema(`
  type Query {
    parcels(orderId: ID!, first: Int): [Int!]
    customer(id: Int!): String
    depot(id: ID!): String
    search(text: String!): String
    all(first: Int): String
    rates(customerId: Int!, day: String!): String
  }
`);

test('suggests fields whose required arguments keys supply by name, and no field by the name id alone', () => {
  expect(
    suggestedFields(owner, 'carrier', schema).map(({ name, definition }) => [name, definition.path[0]?.arguments]),
  ).toEqual([
    ['parcels', { orderId: '$id' }],
    ['customer', { id: '$customer_id' }],
  ]);
});

test('suggests query actions alone', () => {
  const [only, ...others] = suggestedActions(owner, ['customer', 'depot'], schema);
  expect(only?.definition).toMatchObject({ kind: 'action', action: 'customer', arguments: { id: '$customer_id' } });
  expect(others).toEqual([]);
});

test('suggests tracked functions that read, with their arguments mapped', () => {
  const called = (name: string, more: Partial<SourceFunction> = {}): SourceFunction => ({
    schema: 'public',
    name,
    arguments: [
      { name: 'customer_id', type: 'int4', has_default: false },
      { name: 'least', type: 'int4', has_default: true },
    ],
    returns: { schema: 'public', name: 'order' },
    returns_set: true,
    volatility: 'stable',
    comment: null,
    tracked: true,
    ...more,
  });
  const found = suggestedFunctions(owner, 'default', [
    called('orders_of'),
    called('writes', { volatility: 'volatile' }),
    called('untracked', { tracked: false }),
    called('other', { arguments: [{ name: 'day', type: 'date', has_default: false }] }),
  ]);
  expect(found.map(({ name }) => name)).toEqual(['orders_of']);
  expect(found[0]?.definition).toMatchObject({ shape: 'array', rows: [{ from: 'customer_id', to: 'customer_id' }] });
});

test('compares targets without their arguments', () => {
  const [parcels, customer] = suggestedFields(owner, 'carrier', schema).map(({ definition }) => definition);
  if (parcels === undefined || customer === undefined) throw new Error('nothing is suggested');
  expect(hasSameTarget(parcels, { ...parcels, path: [{ field: 'parcels', arguments: {} }] })).toBe(true);
  expect(hasSameTarget(parcels, customer)).toBe(false);
});
