/** Tests of the validation of remote relationships against the remote schema and the tables. */
import { Metadata } from '@joinery/metadata/metadata';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { addRemoteSchema, draftOf } from '../../../test/support/model/draft.ts';
import { runAtOnce } from '../../base/steps.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import type { Draft, DraftTable } from '../types/draft.ts';
import type { Inconsistency } from '../types/inconsistency.ts';
import { resolveTableJoins } from './table-joins.ts';

const upstream = buildSchema(`
  scalar Moment
  scalar uuid
  enum Speed { SLOW FAST }
  input Span { from: Int! to: Int speed: Speed nested: Span tags: [String!] }
  type Status { eta(zone: String!): String pieces(first: Int!): [Piece!]! }
  type Piece { id: ID! }
  type Shipment { id: ID! status(at: Moment): Status! all: [Status!] }
  union Any = Shipment | Piece
  type Query {
    shipment(orderId: Int!, speed: Speed, note: String): Shipment!
    byCode(code: String!): Shipment
    byIds(ids: [ID!]!): [Shipment!]!
    byRatio(ratio: Float): Shipment
    byFlag(flag: Boolean): Shipment
    bySpan(span: Span!, spans: [Span!]): Shipment
    byAnything(thing: Moment, id: uuid): Shipment
    any(id: ID): Any
    now: Status
  }
  type Mutation { send(id: Int): Shipment }
`);

interface Outcome {
  readonly table: DraftTable;
  readonly reports: readonly Inconsistency[];
}

const columns = {
  id: 'Int',
  code: 'String',
  big: 'bigint',
  exact: 'numeric',
  rough: 'float8',
  ok: 'Boolean',
  made_at: 'timestamptz',
  made_on: 'date',
  key: 'uuid',
  extra: 'jsonb',
  old: 'json',
  tags: 'String[]',
  speed: 'enum speed',
  ids: 'Int[]',
};

function resolve(...written: readonly unknown[]): Outcome {
  const { draft, reports } = draftOf({
    tables: { order: columns, customer: { id: 'Int' } },
    otherTables: {
      'shop.invoice': { order_id: 'Int', big: 'bigint', note: 'String', tags: 'String[]', made_at: 'date' },
    },
  });
  const metadata = Metadata.parse({
    version: 3,
    sources: [
      { name: 'default', tables: [{ table: 'customer' }, { table: 'order', remote_relationships: written }] },
      { name: 'other', tables: [{ table: { schema: 'shop', name: 'invoice' } }] },
    ],
    remote_schemas: [
      { name: 'carrier', definition: { url: 'http://127.0.0.1/' } },
      { name: 'broken', definition: { url: 'http://127.0.0.1/' } },
    ],
  });
  addRemoteSchema(draft, 'carrier', upstream);
  const wired: Draft = { ...draft, input: { ...draft.input, metadata } };
  runAtOnce(resolveTableJoins(wired));
  const table = [...draft.sources.values()][0]?.tables.get(relationKey('public', 'order'));
  if (table === undefined) throw new Error('the draft has no table order');
  return { table, reports };
}

function toRemote(remote_field: unknown, lhs_fields: readonly string[] = Object.keys(columns), name = 'shipment') {
  return { name, definition: { to_remote_schema: { remote_schema: 'carrier', lhs_fields, remote_field } } };
}

function toSource(field_mapping: Readonly<Record<string, string>>, more: Readonly<Record<string, unknown>> = {}) {
  const table = { schema: 'shop', name: 'invoice' };
  const to_source = { source: 'other', table, relationship_type: 'array', field_mapping, ...more };
  return { name: 'invoices', definition: { to_source } };
}

/** Returns the only reason for which `written` was dropped. */
function reasonOf(written: unknown): string {
  const { table, reports } = resolve(written);
  expect(table.joins.size).toBe(0);
  expect(reports).toHaveLength(1);
  return reports[0]?.reason ?? '';
}

const path = { shipment: { arguments: { orderId: '$id' }, field: { status: { arguments: {} } } } };

describe('a relationship to a remote schema', () => {
  test.each([
    ['unified', toRemote(path, ['id'])],
    ['legacy', { name: 'shipment', hasura_fields: ['id'], remote_schema: 'carrier', remote_field: path }],
    [
      'legacy in a definition',
      { name: 'shipment', definition: { hasura_fields: ['id'], remote_schema: 'carrier', remote_field: path } },
    ],
  ])('has the same meaning in the %s form', (_form, written) => {
    const { table, reports } = resolve(written);
    expect(reports).toEqual([]);
    expect(table.joins.get('shipment')).toMatchObject({
      name: 'shipment',
      keys: [{ name: 'id' }],
      target: {
        kind: 'remote',
        remote: { name: 'carrier' },
        path: [
          { field: 'shipment', arguments: { orderId: { kind: 'key', index: 0 } } },
          { field: 'status', arguments: {} },
        ],
      },
    });
  });

  test('has constants, lists and objects, and each referenced column as a key once', () => {
    const spans = [{ from: '$id', tags: ['a', '$code'] }];
    const { table, reports } = resolve(
      toRemote({
        bySpan: { arguments: { span: { from: '$id', to: 5, speed: 'FAST', nested: { from: '$big' } }, spans } },
      }),
    );
    expect(reports).toEqual([]);
    const join = table.joins.get('shipment');
    expect(join?.keys.map((column) => column.name)).toEqual(['id', 'big', 'code']);
    expect(join?.target).toMatchObject({
      path: [
        {
          arguments: {
            span: {
              kind: 'object',
              fields: {
                from: { kind: 'key', index: 0 },
                to: { kind: 'constant', value: 5 },
                speed: { kind: 'constant', value: 'FAST' },
                nested: { kind: 'object', fields: { from: { kind: 'key', index: 1 } } },
              },
            },
            spans: {
              kind: 'list',
              items: [
                {
                  kind: 'object',
                  fields: {
                    from: { kind: 'key', index: 0 },
                    tags: {
                      kind: 'list',
                      items: [
                        { kind: 'constant', value: 'a' },
                        { kind: 'key', index: 2 },
                      ],
                    },
                  },
                },
              ],
            },
          },
        },
      ],
    });
  });

  test('leaves the required arguments of its last field to the client', () => {
    const last = { pieces: { arguments: {} } };
    const { reports } = resolve(
      toRemote({ shipment: { arguments: { orderId: '$id' }, field: { status: { arguments: {}, field: last } } } }),
      toRemote({ bySpan: { arguments: { span: { to: 1 } } } }, [], 'span'),
    );
    expect(reports).toEqual([]);
  });

  const one = (field: string, args: Readonly<Record<string, unknown>>, below?: unknown) =>
    toRemote({ [field]: { arguments: args, ...(below !== undefined && { field: below }) } });

  test.each([
    [
      'an unknown field',
      one('parcel', {}),
      'type Query of the remote schema has no field "parcel"; use one of "shipment"',
    ],
    ['a mutation', one('send', { id: '$id' }), 'no field "send"'],
    [
      'an unknown field below',
      one('now', {}, { x: { arguments: {} } }),
      'type Status of the remote schema has no field "x"',
    ],
    [
      'a field of a leaf',
      one('now', {}, { eta: { arguments: { zone: 'x' }, field: { a: { arguments: {} } } } }),
      'which has no fields',
    ],
    [
      'a field of a union',
      one('any', {}, { id: { arguments: {} } }),
      'type Any of the remote schema has no field "id"',
    ],
    [
      'a path through a list',
      one('byCode', { code: 'x' }, { all: { arguments: {}, field: { eta: { arguments: {} } } } }),
      'the remote field "all" is a list, and only the last field may be one',
    ],
    [
      'an unknown argument',
      one('byCode', { kode: 'x' }),
      'the remote field "byCode" has no argument "kode"; use one of "code"',
    ],
    [
      'a required argument within the path',
      one('byCode', {}, { id: { arguments: {} } }),
      'the remote field "byCode" needs the argument "code" of type String!',
    ],
    [
      'a column that is not listed',
      toRemote(path, ['code']),
      '"$id" is not a column that the relationship lists; use one of "code"',
    ],
    ['an unknown column', toRemote(path, ['id', 'gone']), 'table order has no column "gone"; use one of "id"'],
    ['null', one('byCode', { code: null }), 'null cannot be written here'],
    ['a constant of the wrong type', one('byCode', { code: 5 }), '5 is not a value of type String!'],
    ['a fraction for Int', one('shipment', { orderId: 1.5 }), '1.5 is not a value of type Int!'],
    [
      'a value that the enum does not have',
      one('shipment', { orderId: 1, speed: 'fast' }),
      '"fast" is not a value of type Speed',
    ],
    ['a list for one value', one('byCode', { code: ['x'] }), 'a list is not a value of type String!'],
    ['an object for one value', one('byCode', { code: { x: 1 } }), 'an object is not a value of type String!'],
    ['a value for an object', one('bySpan', { span: 1 }), '1 is not a value of type Span!'],
    [
      'an unknown field of an input',
      one('bySpan', { span: { since: 1 } }),
      'type Span has no field "since"; use one of "from"',
    ],
    [
      'a required field of an input within the path',
      one('bySpan', { span: {} }, { id: { arguments: {} } }),
      'argument "span" of the remote field "bySpan": the field "from" of type Int! is required',
    ],
  ])('with %s is dropped with the reason', (_error, written, reason) => {
    expect(reasonOf(written)).toContain(reason);
  });

  test.each([
    [
      'Int',
      'shipment',
      'orderId',
      ['id', 'big', 'exact', 'extra', 'old'],
      ['code', 'rough', 'ok', 'key', 'made_at', 'ids'],
    ],
    [
      'String',
      'byCode',
      'code',
      ['code', 'id', 'big', 'exact', 'rough', 'made_at', 'key', 'speed', 'extra'],
      ['ok', 'tags'],
    ],
    ['[ID!]', 'byIds', 'ids', ['id', 'ids', 'tags', 'code', 'key', 'big', 'extra'], ['ok', 'rough']],
    ['Float', 'byRatio', 'ratio', ['id', 'big', 'exact', 'rough', 'extra'], ['code', 'ok', 'tags', 'made_at']],
    ['Boolean', 'byFlag', 'flag', ['ok', 'extra'], ['id', 'code', 'tags']],
    ['an input object', 'bySpan', 'span', ['extra', 'old'], ['id', 'code', 'ok', 'tags']],
    ['a custom scalar', 'byAnything', 'thing', Object.keys(columns), []],
    ['an enum', 'shipment', 'speed', ['code', 'extra'], ['id', 'ok', 'made_at', 'speed']],
  ])('keys for %s are columns of compatible types', (_type, field, argument, fitting, others) => {
    const outcome = (column: string) => resolve(one(field, { [argument]: `$${column}` })).reports;
    expect(fitting.filter((column) => outcome(column).length > 0)).toEqual([]);
    expect(
      others.filter((column) => !/has type .*, which does not fit type/.test(outcome(column)[0]?.reason ?? '')),
    ).toEqual([]);
  });

  test.each([
    ['broken', 'remote schema "broken" was dropped or could not be read; fix it first'],
    ['gone', 'remote schema "gone" does not exist; add it first'],
  ])('to the remote schema "%s" names the cause', (remote_schema, reason) => {
    expect(reasonOf({ name: 'shipment', hasura_fields: ['id'], remote_schema, remote_field: path })).toContain(reason);
  });
});

describe('a relationship to a table', () => {
  test('preserves the order of its mapping', () => {
    const { table, reports } = resolve(toSource({ big: 'order_id', code: 'note' }));
    expect(reports).toEqual([]);
    expect(table.joins.get('invoices')).toMatchObject({
      keys: [{ name: 'big' }, { name: 'code' }],
      target: {
        kind: 'table',
        shape: 'array',
        table: { name: 'invoice' },
        match: [{ name: 'order_id' }, { name: 'note' }],
      },
    });
  });

  test.each([
    ['no such source', toSource({ id: 'order_id' }, { source: 'gone' }), 'source "gone" does not exist'],
    [
      'no such table',
      toSource({ id: 'order_id' }, { table: 'invoice' }),
      'table "invoice" is not tracked in source "other"',
    ],
    ['an unknown column of the table', toSource({ gone: 'order_id' }), 'table order has no column "gone"'],
    [
      'an unknown column of the target',
      toSource({ id: 'gone' }),
      'table shop.invoice has no column "gone"; use one of "order_id"',
    ],
    ['no columns', toSource({}), 'field_mapping must map at least one column'],
    [
      'text and number',
      toSource({ code: 'order_id' }),
      'column "code" has type text and column "order_id" has type int4',
    ],
    ['a list and one', toSource({ tags: 'note' }), 'column "tags" has type text[] and column "note" has type text'],
    ['json', toSource({ old: 'note' }), 'the two cannot be compared'],
    ['a timestamp and a date', toSource({ made_at: 'made_at' }), 'the two cannot be compared'],
  ])('with %s is dropped with the reason', (_error, written, reason) => {
    expect(reasonOf(written)).toContain(reason);
  });
});

describe('the name of a relationship', () => {
  test('is rejected if a column has it', () => {
    const reason = reasonOf(toRemote(path, ['id'], 'code'));
    expect(reason).toContain('the table has a column "code" already; choose another name');
  });

  test('is rejected if another remote relationship or its aggregate has it, and the first relationship remains', () => {
    const { table, reports } = resolve(
      toSource({ id: 'order_id' }),
      toRemote(path, ['id'], 'invoices'),
      toRemote(path, ['id'], 'invoices_aggregate'),
    );
    expect([...table.joins.keys()]).toEqual(['invoices']);
    expect(table.joins.get('invoices')?.target.kind).toBe('table');
    expect(reports.map(({ reason }) => reason)).toEqual([
      'remote relationship "invoices": the table has a remote relationship "invoices" already; choose another name',
      'remote relationship "invoices_aggregate": the table has the aggregate of a remote relationship "invoices_aggregate" already; choose another name',
    ]);
  });
});

test('a dropped relationship is reported with its path, its definition and a unique name', () => {
  const written = toRemote({ gone: { arguments: {} } });
  const { reports } = resolve(toSource({ id: 'order_id' }), written);
  expect(reports).toMatchObject([
    {
      type: 'remote_relationship',
      name: 'remote_relationship shipment in table order in source default',
      path: '$.sources[0].tables[1].remote_relationships[1]',
      code: 'invalid-configuration',
      definition: written,
    },
  ]);
});

test('all errors of a relationship are reported together', () => {
  const written = toRemote({ bySpan: { arguments: { span: { from: '$gone', to: 'x' }, other: 1 } } }, ['id', 'lost']);
  expect(reasonOf(written).split('; ').length).toBeGreaterThanOrEqual(4);
});
