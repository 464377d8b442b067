import { describe, expect, test } from 'vitest';
import { type DraftParts, draftOf } from '../../../test/support/model/draft.ts';
import { runAtOnce } from '../../base/steps.ts';
import { resolveCustomTypes } from '../actions/custom-types.ts';
import { resolveOutputJoins } from './action-joins.ts';

const tables: NonNullable<DraftParts['tables']> = {
  customer: { id: 'Int', name: 'String', key: 'uuid', data: 'json' },
  line: { order_id: 'Int', product: 'String' },
  'shop.line': { order_id: 'Int' },
};

function resolve(relationships: readonly object[], fields: Readonly<Record<string, string>> = {}) {
  const all = {
    orderId: 'Int!',
    customerId: 'Int',
    tags: '[String!]',
    pairs: '[[String!]!]',
    nested: 'Nested',
    ...fields,
  };
  const { draft, reports } = draftOf({
    tables,
    otherTables: { invoice: { id: 'bigint' } },
    custom_types: {
      objects: [
        { name: 'Nested', fields: [{ name: 'id', type: 'Int' }] },
        { name: 'Order', fields: Object.entries(all).map(([name, type]) => ({ name, type })), relationships },
      ],
    },
  });
  const { objects } = runAtOnce(resolveCustomTypes(draft));
  const joins = new Map(
    [...runAtOnce(resolveOutputJoins(draft, objects))].map(([{ name }, own]) => [String(name), own] as const),
  );
  return { reports, types: [...joins.keys()], relationships: [...(joins.get('Order')?.values() ?? [])] };
}

const customer = { name: 'customer', type: 'object', remote_table: 'customer', field_mapping: { customerId: 'id' } };

describe('a relationship of an output object', () => {
  test('maps its fields to the columns of a tracked table of any schema and source', () => {
    const { relationships, reports } = resolve([
      customer,
      {
        name: 'lines',
        type: 'array',
        remote_table: { schema: 'shop', name: 'line' },
        field_mapping: { orderId: 'order_id' },
      },
      {
        name: 'both',
        type: 'array',
        remote_table: 'line',
        field_mapping: { orderId: 'order_id', customerId: 'order_id' },
      },
      { name: 'invoice', type: 'object', source: 'other', remote_table: 'invoice', field_mapping: { orderId: 'id' } },
    ]);
    expect(reports).toEqual([]);
    const lines = relationships.map(({ name, keys, target }) => {
      if (target.kind !== 'table') throw new Error(`the target of ${name} is not a table`);
      const { shape, table, match } = target;
      const pairs = keys.map((key, index) => `${key.name}=${match[index]?.name}`);
      return `${shape} ${name}: ${table.source} ${table.schema}.${table.name} on ${pairs.join(', ')}`;
    });
    expect(lines).toEqual([
      'object customer: default public.customer on customerId=id',
      'array lines: default shop.line on orderId=order_id',
      'array both: default public.line on orderId=order_id, customerId=order_id',
      'object invoice: other public.invoice on orderId=id',
    ]);
  });

  test.each([
    [
      'to a table that is not tracked',
      { remote_table: 'nothing' },
      /table "nothing" is not tracked in source "default", or was dropped; track or fix it first/,
    ],
    ['to a table of another source', { source: 'other' }, /table "customer" is not tracked in source "other"/],
    ['to an unknown source', { source: 'nowhere' }, /source "nowhere" does not exist/],
    [
      'from an unknown field',
      { field_mapping: { nothing: 'id' } },
      /no field "nothing"; use one of "orderId", "customerId"/,
    ],
    [
      'to an unknown column',
      { field_mapping: { customerId: 'nothing' } },
      /no column "nothing"; use one of "id", "name"/,
    ],
    [
      'from a list of lists',
      { field_mapping: { pairs: 'name' } },
      /"pairs" cannot be mapped to column "name": the field is a list of lists \(\[\[String!\]!\]\)/,
    ],
    [
      'from an object',
      { field_mapping: { nested: 'id' } },
      /"nested" cannot be mapped to column "id": the field is an object/,
    ],
    [
      'between types that cannot be compared',
      { field_mapping: { customerId: 'key' } },
      /the field has type Int, and the column has type uuid/,
    ],
    [
      'to a column without equality',
      { field_mapping: { customerId: 'data' } },
      /PostgreSQL cannot compare values of type json/,
    ],
    ['with the name of a field', { name: 'orderId' }, /a field or relationship "orderId" already; choose another name/],
    ['with the name of another', { name: 'lines' }, /a field or relationship "lines" already/],
    ['with the name of an aggregate', { name: 'lines_aggregate' }, /a field or relationship "lines_aggregate" already/],
    [
      'whose aggregate has the name of a field',
      { name: 'x', type: 'array' },
      /a field or relationship "x_aggregate" already/,
    ],
  ])('%s is dropped with path and reason', (_what, change, reason) => {
    const lines = { name: 'lines', type: 'array', remote_table: 'line', field_mapping: { orderId: 'order_id' } };
    const { relationships, reports } = resolve([lines, { ...customer, ...change }], { x_aggregate: 'Int' });
    expect(reports).toEqual([
      expect.objectContaining({
        type: 'action_relationship',
        path: '$.custom_types.objects[1].relationships[1]',
        code: 'invalid-configuration',
        reason: expect.stringMatching(reason),
      }),
    ]);
    expect(reports[0]?.reason).toMatch(/^relationship ".+" of object type "Order": /);
    expect(relationships.map(({ name }) => name)).toEqual(['lines']);
  });

  test('belongs to its type alone', () => {
    expect(resolve([customer]).types).toEqual(['Order']);
    expect(resolve([]).types).toEqual([]);
  });

  test.each([
    [
      'a list in the older form',
      { type: 'array', remote_table: 'nothing', field_mapping: { orderId: 'id' } },
      ['x', 'x_aggregate'],
    ],
    ['a row in the older form', { type: 'object', remote_table: 'nothing', field_mapping: { orderId: 'id' } }, ['x']],
    ['an unknown action', { definition: { to_action: { action: 'nothing' } } }, ['x']],
  ])('without a target reports all of its names that are in use, as %s', (_what, relationship, names) => {
    const { reports } = resolve([{ name: 'x', ...relationship }], { x: 'Int', x_aggregate: 'Int' });
    expect(reports).toHaveLength(1);
    expect(
      [...(reports[0]?.reason.matchAll(/a field or relationship "(\w+)" already/g) ?? [])].map(([, name]) => name),
    ).toEqual(names);
  });

  test('reports two invalid relationships of one name under two names', () => {
    const bad = { ...customer, remote_table: 'nothing' };
    expect(new Set(resolve([bad, bad, customer, customer]).reports.map(({ name }) => name)).size).toBe(3);
  });

  test('with several errors reports all of them', () => {
    const { reports } = resolve([
      { ...customer, field_mapping: { nothing: 'id', customerId: 'nothing', pairs: 'name' } },
    ]);
    expect(reports[0]?.reason.split('; field_mapping')).toHaveLength(3);
  });
});
