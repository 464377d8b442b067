import { expect, test } from 'vitest';
import { remoteRelationshipText } from './definition-text.ts';

test('describes a relationship to a table by kind, target and column pairs', () => {
  const to_source = {
    source: 'default',
    table: { schema: 'shop', name: 'customer' },
    relationship_type: 'object' as const,
    field_mapping: { customerId: 'id', region: 'region' },
  };
  expect(remoteRelationshipText('Placed', { to_source })).toEqual({
    kind: 'object of a table',
    lines: ['Placed.customerId → default.shop.customer.id', 'Placed.region → default.shop.customer.region'],
  });
});

test('describes a relationship to a function with its arguments', () => {
  const to_source = {
    source: 'default',
    function: 'orders_of',
    relationship_type: 'array' as const,
    field_mapping: { id: 'customer' },
  };
  expect(remoteRelationshipText('Person', { to_source })).toEqual({
    kind: 'array of a function',
    lines: ['Person.id → default.public.orders_of(customer)'],
  });
});

test('describes a relationship to a remote schema or an action as its request', () => {
  const remote_field = {
    carrier: { arguments: {}, field: { parcels: { arguments: { code: '$code', first: 3, of: ['$a'] } } } },
  };
  const to_remote_schema = { remote_schema: 'post', lhs_fields: ['code', 'a'], remote_field };
  expect(remoteRelationshipText('Placed', { to_remote_schema }).lines).toEqual([
    'Placed → post: carrier { parcels(code: $code, first: 3, of: [$a]) }',
  ]);
  const to_action = { action: 'profile', arguments: { id: '$id', kind: 'short' }, batch: { max_size: 5 } };
  expect(remoteRelationshipText('Placed', { to_action }).lines).toEqual([
    'Placed → profile(id: $id, kind: "short"), 5 at a time',
  ]);
});
