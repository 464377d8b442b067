/** Tests of remote schemas in the schema of a role: all types, shared names, and arguments of joins. */
import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import {
  buildSchema,
  type GraphQLObjectType,
  GraphQLSchema,
  getIntrospectionQuery,
  graphqlSync,
  printType,
  validateSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { type RemoteModelParts, remoteModel } from '../../../test/support/model/remote-model.ts';
import { offeredTypes } from '../../model/remote/remote-schemas.ts';
import { bindingOf } from '../binding.ts';
import { roleSchema } from '../role-schema.ts';

const everyKind = `
"""A moment."""
scalar Moment
"The state."
enum State { "not yet" OPEN CLOSED @deprecated(reason: "always open") }
"Anything."
interface Thing { id: ID! state: State }
interface Sized implements Thing { id: ID! state: State size: Float }
"A box."
type Box implements Thing & Sized { id: ID! state: State size(unit: String = "cm", old: Int @deprecated(reason: "gone")): Float }
type Letter implements Thing { "the id" id: ID! state: State sent: Moment home: Query @deprecated(reason: "no") }
union Parcel = Box | Letter
input Near { place: [Float!]! = [1.5, 2], state: State = OPEN, within: Near, at: Moment = "now" }
input Choice @oneOf { id: ID, near: Near }
type Query { "a thing by id" thing(id: ID!): Thing parcels(near: Near = { place: [0] }, choice: Choice): [[Parcel!]!]! }
type Mutation { open(id: ID!): Box! }
`;

function schemaOf(parts: RemoteModelParts, role = 'admin', strictNullability = false) {
  const { model, reports } = remoteModel(parts);
  expect(reports).toEqual([]);
  return roleSchema({ ...model, strictNullability }, RoleName.parse(role)).schema;
}

test('has every kind of type of the remote schema', () => {
  const schema = schemaOf({ remotes: { post: { schema: everyKind } } });
  expect(validateSchema(checked(schema))).toEqual([]);
  for (const type of offeredTypes(buildSchema(everyKind)).values()) {
    const ours = schema.getType(type.name);
    expect(ours && printType(ours)).toBe(printType(type));
  }
  expect(printType(schema.getQueryType() as GraphQLObjectType)).toMatchInlineSnapshot(`
    "type query_root {
      """a thing by id"""
      thing(id: ID!): Thing
      parcels(near: Near = {place: [0], state: OPEN, at: "now"}, choice: Choice): [[Parcel!]!]!
    }"
  `);
});

test('binds root fields to their remote schema, but not their fields', () => {
  const schema = schemaOf({ remotes: { post: { schema: everyKind } } });
  const { thing } = schema.getQueryType()?.getFields() ?? {};
  const { open } = schema.getMutationType()?.getFields() ?? {};
  expect(thing && bindingOf(thing)).toMatchObject({ kind: 'remote', remote: { name: 'post' }, field: 'thing' });
  expect(open && bindingOf(open)).toMatchObject({ kind: 'remote', field: 'open' });
  const { id } = (schema.getType('Box') as GraphQLObjectType).getFields();
  expect(id && bindingOf(id)).toBeUndefined();
});

test('tables and all remote schemas share scalars of one name', () => {
  const schema = schemaOf({
    tables: { order: { key: 'uuid' } },
    remotes: {
      one: { schema: 'scalar uuid scalar Moment type Query { a(key: uuid): Moment }' },
      two: { schema: 'scalar Moment type Query { b: Moment c: Page } type Page { next: String }' },
      three: { schema: 'type Query { d: Page } type Page { next: String }' },
    },
  });
  expect(validateSchema(checked(schema))).toEqual([]);
  const fields = schema.getQueryType()?.getFields();
  expect(fields?.a?.args[0]?.type).toBe(schema.getType('uuid'));
  expect(fields?.b?.type).toBe(fields?.a?.type);
  expect(fields?.c?.type).toBe(fields?.d?.type);
});

test('omits a default value without a literal, which the remote schema applies, and introspection works', () => {
  const upstream = buildSchema('scalar JSON type Query { a(filter: JSON! = { deep: [1] }, plain: JSON = 5): Int }');
  const schema = schemaOf({ remotes: { one: { schema: upstream } } });
  const result = graphqlSync({ schema, source: getIntrospectionQuery() });
  expect(result.errors).toBeUndefined();
  expect(printType(schema.getQueryType() as GraphQLObjectType)).toContain('a(filter: JSON, plain: JSON = 5): Int');
});

test('every role sees remote schemas', () => {
  const schema = schemaOf({ remotes: { one: { schema: 'type Query { a: Int }' } } }, 'unknown');
  expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(['a']);
});

/** Returns the schema with validation enabled, which role schemas disable. */
function checked(schema: GraphQLSchema): GraphQLSchema {
  return new GraphQLSchema({ ...schema.toConfig(), assumeValid: false });
}

describe('the field of a join to a remote schema', () => {
  const upstream = `
    input Range { from: Int! to: Int! = 9 inner: Range many: [Range!] }
    input Plain { from: Int to: Int }
    input One @oneOf { id: Int code: String }
    type Status { "the time of arrival" eta(zone: String!, exact: Boolean = true): String! @deprecated(reason: "call later") }
    type Shipment { status: Status! }
    type Query {
      shipment(id: Int!, note: String): Shipment!
      all(range: Range!, plain: Plain!, plains: [Plain!]!, one: One, free: String!): [Shipment!]!
    }
  `;
  const typeOfOrder = (remote_field: unknown) => {
    const schema = schemaOf({
      tables: { order: { id: 'Int', code: 'String' } },
      remotes: { carrier: { schema: upstream } },
      relationships: {
        order: [
          {
            name: 'found',
            definition: { to_remote_schema: { remote_schema: 'carrier', lhs_fields: ['id', 'code'], remote_field } },
          },
        ],
      },
    });
    expect(validateSchema(checked(schema))).toEqual([]);
    return { schema, field: (schema.getType('order') as GraphQLObjectType).getFields().found };
  };
  const print = (remote_field: unknown) => {
    const { field } = typeOfOrder(remote_field);
    return `(${field?.args.map((argument) => `${argument.name}: ${argument.type}`).join(', ')}): ${field?.type}`;
  };

  test('has the type of the last field and the arguments that the relationship does not set', () => {
    expect(print({ shipment: { arguments: { id: '$id' } } })).toBe('(note: String): Shipment!');
    expect(print({ shipment: { arguments: { id: '$id', note: 'x' } } })).toBe('(): Shipment!');
    const { field } = typeOfOrder({
      shipment: { arguments: { id: '$id' }, field: { status: { arguments: {}, field: { eta: { arguments: {} } } } } },
    });
    expect(field).toMatchObject({ description: 'the time of arrival', deprecationReason: 'call later' });
    expect(field?.args.map(({ name, defaultValue }) => [name, defaultValue])).toEqual([
      ['zone', undefined],
      ['exact', true],
    ]);
    expect(field && bindingOf(field)).toMatchObject({ kind: 'join', join: { name: 'found' } });
  });

  test('is nullable with strict nullability, because a key may be null', () => {
    const parts: RemoteModelParts = {
      tables: { order: { id: 'Int' } },
      remotes: { carrier: { schema: upstream } },
      relationships: {
        order: [
          {
            name: 'found',
            hasura_fields: ['id'],
            remote_schema: 'carrier',
            remote_field: { shipment: { arguments: { id: '$id' } } },
          },
        ],
      },
    };
    const typeIn = (strict: boolean) =>
      String((schemaOf(parts, 'admin', strict).getType('order') as GraphQLObjectType).getFields().found?.type);
    expect([typeIn(false), typeIn(true)]).toEqual(['Shipment!', 'Shipment']);
  });

  test('has an argument for the part that the relationship does not set', () => {
    const supplied = {
      range: { from: '$id', inner: { from: 1, to: '$id' } },
      plain: { from: '$id', to: 1 },
      plains: [{ from: '$id' }],
      one: { id: '$id' },
    };
    const { schema } = typeOfOrder({ all: { arguments: supplied } });
    expect(print({ all: { arguments: supplied } })).toBe(
      '(range: Range_remote_rel_orderfound, plains: [Plain_remote_rel_orderfound!], free: String!): [Shipment!]!',
    );
    const range = schema.getType('Range_remote_rel_orderfound');
    expect(range && printType(range)).toMatchInlineSnapshot(`
      "input Range_remote_rel_orderfound {
        to: Int! = 9
        inner: Range_remote_rel_order_found_range_inner
        many: [Range!]
      }"
    `);
  });

  test('has different types for two parts of one input type', () => {
    expect(print({ all: { arguments: { plain: { to: 1 }, plains: [{ from: '$id' }], free: 'x' } } })).toContain(
      'plain: Plain_remote_rel_orderfound, plains: [Plain_remote_rel_order_found_plains!]',
    );
  });

  test('requires the argument if the other part has a required member', () => {
    expect(print({ all: { arguments: { range: { to: 1 }, plain: {}, plains: [] } } })).toBe(
      '(range: Range_remote_rel_orderfound!, plain: Plain_remote_rel_orderfound, one: One, free: String!): [Shipment!]!',
    );
  });
});

describe('the visibility of a join', () => {
  const to_source = (relationship_type: string) => ({
    to_source: { source: 'other', table: 'invoice', relationship_type, field_mapping: { id: 'order_id' } },
  });
  const parts: RemoteModelParts = {
    tables: { order: { id: 'Int', code: 'String' } },
    otherTables: { invoice: { order_id: 'Int', total: 'numeric' } },
    remotes: { carrier: { schema: 'type Query { shipment(id: Int!): Int }' } },
    relationships: {
      order: [
        {
          name: 'shipment',
          hasura_fields: ['id'],
          remote_schema: 'carrier',
          remote_field: { shipment: { arguments: { id: '$id' } } },
        },
        { name: 'invoice_of', definition: to_source('object') },
        { name: 'invoices', definition: to_source('array') },
      ],
    },
    permissions: {
      whole: { order: ['id', 'code'], invoice: ['order_id', 'total'] },
      keyless: { order: ['code'], invoice: ['order_id', 'total'] },
      blind: { order: ['id'], invoice: ['total'] },
      outside: { order: ['id'] },
    },
  };
  const seenBy = (role: string) => {
    const fields = Object.values((schemaOf(parts, role).getType('order') as GraphQLObjectType).getFields());
    return fields.map(({ name, type }) => `${name}: ${type}`);
  };

  test('a role sees it if it may select the target, whatever columns it may select', () => {
    const all = [
      'shipment: Int',
      'invoice_of: invoice',
      'invoices: [invoice!]!',
      'invoices_aggregate: invoice_aggregate!',
    ];
    expect(seenBy(ADMIN_ROLE)).toEqual(['id: Int!', 'code: String!', ...all]);
    expect(seenBy('whole')).toEqual(['id: Int!', 'code: String!', ...all]);
    expect(seenBy('keyless')).toEqual(['code: String!', ...all]);
    expect(seenBy('blind')).toEqual(['id: Int!', ...all]);
    expect(seenBy('outside')).toEqual(['id: Int!', 'shipment: Int']);
  });

  test('rows of another source have the arguments of a list', () => {
    const { invoices, invoices_aggregate } = (
      schemaOf(parts, 'whole').getType('order') as GraphQLObjectType
    ).getFields();
    const names = ['distinct_on', 'limit', 'offset', 'order_by', 'where'];
    expect(invoices?.args.map(({ name }) => name)).toEqual(names);
    expect(invoices_aggregate?.args.map(({ name }) => name)).toEqual(names);
    expect(invoices && bindingOf(invoices)?.kind).toBe('join');
    expect(invoices_aggregate && bindingOf(invoices_aggregate)?.kind).toBe('joinAggregate');
  });
});
