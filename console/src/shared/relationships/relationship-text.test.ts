import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/sources/catalog';
import { describe, expect, test } from 'vitest';
import { relationshipText, remoteRelationshipText, suggestedName, whyUnfit } from './relationship-text.ts';

const info = {
  table: { schema: 'public', name: 'order' },
  foreign_keys: [{ constraint: 'a', columns: { customer_id: 'id' }, table: { schema: 'crm', name: 'customer' } }],
} as unknown as TableInfo;

describe('describes a relationship', () => {
  test.each([
    [
      'object',
      { foreign_key_constraint_on: 'customer_id' },
      'object, by a foreign key',
      ['customer_id → crm.customer.id'],
    ],
    [
      'array',
      { foreign_key_constraint_on: { table: 'item', columns: ['order_id'] } },
      'array, by a foreign key',
      ['item.order_id → order'],
    ],
    [
      'array',
      { manual_configuration: { remote_table: 'visit', column_mapping: { customer_id: 'who', day: 'day' } } },
      'array, by columns',
      ['customer_id → visit.who', 'day → visit.day'],
    ],
    ['object', { foreign_key_constraint_on: ['gone'] }, 'object, by a foreign key', ['gone → unknown']],
  ] as const)('%s %j', (type, using, kind, lines) => {
    expect(relationshipText({ name: 'x', using }, type, info)).toMatchObject({ kind, lines });
  });
});

test('reads older forms of a relationship to a remote schema as the current one', () => {
  const remote = { remote_schema: 'geo', remote_field: { place: { arguments: { id: '$id' } } } };
  const newer = { to_remote_schema: { ...remote, lhs_fields: ['id'] } };
  expect(remoteRelationshipText({ name: 'a', hasura_fields: ['id'], ...remote })).toEqual({
    name: 'a',
    definition: newer,
  });
  expect(remoteRelationshipText({ name: 'a', definition: { hasura_fields: ['id'], ...remote } }).definition).toEqual(
    newer,
  );
  expect(remoteRelationshipText({ name: 'a', definition: newer }).definition).toEqual(newer);
});

test.each([
  [{ type: 'int4' }, { type: 'int8' }, true],
  [{ type: 'text' }, { type: 'varchar' }, true],
  [{ type: 'email', base_type: 'text' }, { type: 'text' }, true],
  [{ type: 'int4' }, { type: 'uuid' }, false],
  [{ type: 'mood' }, { type: 'mood' }, true],
  [{ type: 'mood' }, { type: 'size' }, false],
  [{ type: 'int4[]' }, { type: 'text[]' }, false],
])('%j and %j fit: %s', (own, other, fit) => {
  const column = (name: string, type: object) => ({ name, ...type }) as ColumnInfo;
  expect(whyUnfit(column('a', own), column('b', other)) === undefined).toBe(fit);
});

test('suggests an unused name', () => {
  const target = { schema: 'public', name: 'customers' };
  expect(suggestedName('object', target, new Set())).toBe('customer');
  expect(suggestedName('array', target, new Set(['customers']))).toBe('customers_2');
  expect(suggestedName('object', { schema: 'a', name: '2 b' }, new Set())).toBe('_2_b');
});
