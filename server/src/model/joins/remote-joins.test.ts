import { RemoteSchemaName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { remoteModel } from '../../../test/support/model/remote-model.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Join } from '../types/table.ts';

const schema = `
  scalar uuid
  scalar Moment
  enum Size { SMALL LARGE }
  union Any = Shipment
  type Maker { id: ID }
  type Orphan { id: Int }
  type Shipment {
    id: Int! code: String ratio: Float ok: Boolean ref: ID
    key: uuid at: Moment size: Size!
    tags: [String!]! grid: [[Int]]
    maker: Maker makers: [Maker]
    sized(size: Size! = LARGE, other: Int): Int
  }
  type Scale { sized(other: Int): Int weighed(other: Int, unit: String!): Int }
  type Query { shipment: Shipment any: Any }
`;

const tables = {
  order: {
    ...{ id: 'Int', code: 'String', ratio: 'float8', ok: 'Boolean', key: 'uuid', at: 'timestamptz' },
    ...{ data: 'jsonb', old: 'json', speed: 'enum speed' },
  },
};

const toOrders = (field_mapping: object, name = 'orders', relationship_type = 'array') => ({
  name,
  definition: { to_source: { source: 'default', table: 'order', relationship_type, field_mapping } },
});

interface Parts {
  readonly type?: string;
  readonly definition?: object;
  readonly upstream?: string | ServiceError;
}

function resolve(relationships: readonly object[], { type = 'Shipment', definition, upstream = schema }: Parts = {}) {
  const { model, reports } = remoteModel({
    tables,
    remotes: {
      first: { schema: 'type Query { a: Int }' },
      carrier: {
        schema: upstream,
        ...(definition && { definition: { url: 'http://127.0.0.1/', ...definition } }),
        relationships: { [type]: relationships },
      },
    },
  });
  const joins = model.remoteSchemas.get(RemoteSchemaName.parse('carrier'))?.joins;
  return { reports, joins: joins?.get(type) ?? new Map<string, Join>() };
}

/** Returns the reason for which the only relationship was dropped. */
function reasonOf(relationship: { readonly name: string }, parts: Parts = {}): string {
  const { reports, joins } = resolve([relationship], parts);
  expect([joins.size, reports.filter(({ type }) => type !== 'remote_schema').length]).toEqual([0, 1]);
  return reports.at(-1)?.reason ?? '';
}

describe('a relationship of a remote type', () => {
  test('is rejected on a root type unless a field returns that type', () => {
    const reason = 'it is the type of root fields and no field returns it, so the relationship would have no effect';
    const on = (field: string) => ({
      type: 'Query',
      upstream: `interface Node { id: Int } type Query implements Node { id: Int ${field} }`,
    });
    expect(reasonOf(toOrders({ id: 'id' }), on(''))).toContain(reason);
    expect(resolve([toOrders({ id: 'id' })], on('query: Query!')).reports).toEqual([]);
    expect(resolve([toOrders({ id: 'id' })], on('nodes: [Node]')).reports).toEqual([]);
  });

  test('has fields of the type as its keys', () => {
    const { reports, joins } = resolve([toOrders({ id: 'id', code: 'code' })]);
    expect(reports).toEqual([]);
    expect(joins.get('orders')).toMatchObject({
      name: 'orders',
      keys: [{ name: 'id' }, { name: 'code' }],
      target: { kind: 'table', shape: 'array', match: [{ name: 'id' }, { name: 'code' }] },
    });
  });

  test.each([
    ['id', 'id', 'int4'],
    ['code', 'code', 'text'],
    ['ratio', 'ratio', 'float8'],
    ['ok', 'ok', 'bool'],
    ['ref', 'id', 'text'],
    ['key', 'key', 'uuid'],
    ['at', 'at', 'jsonb'],
    ['size', 'code', 'text'],
    ['sized', 'id', 'int4'],
  ])('has a key "%s" for column "%s", of type %s', (field, column, type) => {
    const [key] = resolve([toOrders({ [field]: column })]).joins.get('orders')?.keys ?? [];
    expect(key).toMatchObject({ name: field, type: { name: type, element: undefined } });
    expect(key).not.toHaveProperty('list');
  });

  test('has a list of keys for a field that is a list', () => {
    const [key] = resolve([toOrders({ tags: 'code' })]).joins.get('orders')?.keys ?? [];
    expect(key).toMatchObject({ name: 'tags', list: true, type: { name: '_text' } });
  });

  test.each([
    ['id', 'code', 'the field has type Int, and the column has type text; the two cannot be compared'],
    ['size', 'id', 'the field has type Size, and the column has type int4; the two cannot be compared'],
    ['key', 'id', 'the field has type uuid, and the column has type int4; the two cannot be compared'],
    ['at', 'old', 'PostgreSQL cannot compare values of type json'],
    ...['maker', 'makers', 'grid'].map((field) => [
      field,
      'id',
      'the field is an object or a list of lists, and a key is a scalar, an enum or a list of them',
    ]),
  ])('from "%s" to column "%s" is dropped with the reason', (field, column, reason) => {
    expect(reasonOf(toOrders({ [field]: column }))).toBe(
      `remote relationship "orders" of type "Shipment": field_mapping: "${field}" cannot be mapped to column "${column}": ${reason}`,
    );
  });

  test('cannot have a field with a required argument as a key', () => {
    expect(reasonOf(toOrders({ weighed: 'id' }), { type: 'Scale' })).toBe(
      'remote relationship "orders" of type "Scale": field_mapping: type "Scale" has no field "weighed" without arguments; use one of "sized"',
    );
  });

  test('can pass its keys to another remote schema', () => {
    const to = { remote_schema: 'first', lhs_fields: ['id'], remote_field: { a: { arguments: {} } } };
    expect(resolve([{ name: 'a', definition: { to_remote_schema: to } }]).joins.get('a')).toMatchObject({
      target: { kind: 'remote', remote: { name: 'first' } },
    });
  });

  test('is reported with its path, its definition and its name', () => {
    const bad = toOrders({ none: 'id', id: 'none' }, 'bad');
    const { reports, joins } = resolve([toOrders({ id: 'id' }), bad]);
    expect(reports).toEqual([
      {
        type: 'remote_schema_remote_relationship',
        name: 'remote_relationship bad of type Shipment in remote schema carrier',
        path: '$.remote_schemas[1].remote_relationships[0].relationships[1]',
        code: 'invalid-configuration',
        reason: expect.stringMatching(
          /^remote relationship "bad" of type "Shipment": .*no field "none".*; field_mapping: table order has no column "none"/,
        ),
        definition: { ...bad, definition: { to_source: { ...bad.definition.to_source, table: expect.anything() } } },
      },
    ]);
    expect([...joins.keys()]).toEqual(['orders']);
  });
});

describe('a relationship is dropped if', () => {
  test.each(['None', 'Size', 'Any', 'Moment'])('the remote schema has no object type "%s"', (type) => {
    const upstream = type === 'None' ? schema : `${schema}\nextend type Query { one: ${type} }`;
    expect(reasonOf(toOrders({ id: 'id' }), { type, upstream })).toBe(
      `remote relationship "orders" of type "${type}": the remote schema has no object type "${type}"`,
    );
  });

  test('the remote schema was dropped', () => {
    expect(reasonOf(toOrders({ id: 'id' }), { upstream: new ServiceError('busy', 'no connection') })).toBe(
      'remote relationship "orders" of type "Shipment": remote schema "carrier" was dropped or could not be read; fix it first',
    );
  });
});

describe('the name of a relationship', () => {
  const orders = toOrders({ id: 'id' });
  test.each([
    ['a field of the type', [], toOrders({ id: 'id' }, 'code'), 'code'],
    ['another relationship', [orders], toOrders({ id: 'id' }, 'orders', 'object'), 'orders'],
    ['the aggregate of another', [orders], toOrders({ id: 'id' }, 'orders_aggregate', 'object'), 'orders_aggregate'],
  ])('is not that of %s', (_what, others, bad, name) => {
    const { reports } = resolve([...others, bad]);
    expect(reports.map(({ reason }) => reason)).toEqual([
      `remote relationship "${bad.name}" of type "Shipment": the type has a field or relationship "${name}" already; choose another name`,
    ]);
  });

  test('of a list is rejected if another relationship has that of its aggregate', () => {
    const single = toOrders({ id: 'id' }, 'orders_aggregate', 'object');
    const { reports, joins } = resolve([single, orders]);
    expect(reports[0]?.reason).toContain('a field or relationship "orders_aggregate" already');
    expect([...joins.keys()]).toEqual(['orders_aggregate']);
  });

  test('is compared with the customized names of fields', () => {
    const definition = {
      customization: {
        type_names: { prefix: 'C', mapping: {} },
        field_names: [{ parent_type: 'Shipment', prefix: 's_', mapping: {} }],
      },
    };
    const named = (name: string) => toOrders({ id: 'id' }, name, 'object');
    const { reports, joins } = resolve([named('code'), named('s_code')], { definition });
    expect([...joins.keys()]).toEqual(['code']);
    expect(reports.map(({ name }) => name)).toEqual([
      'remote_relationship s_code of type Shipment in remote schema carrier',
    ]);
  });

  test('is free in a type that no field of the customized schema has', () => {
    const definition = { customization: { type_names: { prefix: 'C', mapping: {} } } };
    expect([...resolve([toOrders({ id: 'id' })], { type: 'Orphan', definition }).joins.keys()]).toEqual(['orders']);
  });
});

test('a type without valid relationships has no joins', () => {
  const { model } = remoteModel({
    tables,
    remotes: {
      carrier: { schema, relationships: { Shipment: [toOrders({})] } },
    },
  });
  expect(model.remoteSchemas.get(RemoteSchemaName.parse('carrier'))?.joins).toEqual(new Map());
});
