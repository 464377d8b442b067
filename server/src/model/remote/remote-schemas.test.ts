/** Tests of accepted remote schemas, and of the errors of the others. */
import { Metadata } from '@joinery/metadata/metadata';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { expect, test } from 'vitest';
import { type DraftParts, draftOf } from '../../../test/support/model/draft.ts';
import { ServiceError } from '../../base/errors.ts';
import { runAtOnce } from '../../base/steps.ts';
import { offeredTypes, resolveRemoteSchemas } from './remote-schemas.ts';

interface Setting extends DraftParts {
  /** The introspected schema or the error, by name; undefined without an introspection. */
  readonly upstreams: Readonly<Record<string, string | GraphQLSchema | ServiceError | undefined>>;
  readonly definition?: Readonly<Record<string, unknown>>;
}

function resolve(setting: Setting) {
  const { draft, reports } = draftOf(setting);
  const names = Object.keys(setting.upstreams);
  const definition = setting.definition ?? { url: 'http://127.0.0.1/graphql' };
  const { remote_schemas } = Metadata.parse({
    version: 3,
    remote_schemas: names.map((name) => ({ name: name.replace(/ again$/, ''), definition })),
  });
  const upstreams = new Map(
    (remote_schemas ?? []).flatMap(({ name }, index) => {
      const upstream = setting.upstreams[names[index] ?? ''];
      if (upstream === undefined) return [];
      return [[name, typeof upstream === 'string' ? buildSchema(upstream) : upstream] as const];
    }),
  );
  const metadata: Metadata = { ...draft.input.metadata, ...(remote_schemas && { remote_schemas }) };
  const wired = { ...draft, input: { ...draft.input, metadata, upstreams } };
  runAtOnce(resolveRemoteSchemas(wired));
  return { accepted: [...draft.remoteSchemas.keys()], draft, reports };
}

const carrier = 'type Query { shipment(id: ID!): Shipment } type Shipment { id: ID! eta: String }';

test('accepts an introspected remote schema whose names are not in use', () => {
  const { draft, reports } = resolve({
    upstreams: { carrier },
    definition: {
      url_from_env: 'CARRIER',
      headers: [{ name: 'X-Key', value_from_env: 'KEY' }],
      forward_client_headers: true,
      timeout_seconds: 5,
      customization: {},
    },
    environment: { CARRIER: 'http://127.0.0.1/', KEY: 'k' },
  });
  expect(reports).toEqual([]);
  expect([...draft.remoteSchemas.values()]).toMatchObject([
    {
      name: 'carrier',
      url: { fromEnv: 'CARRIER' },
      headers: [{ name: 'X-Key', value_from_env: 'KEY' }],
      forwardClientHeaders: true,
      timeoutMs: 5000,
    },
  ]);
});

test('drops a remote schema that could not be introspected, with the reason', () => {
  const { accepted, reports } = resolve({
    upstreams: {
      down: new ServiceError('remote-schema-error', 'the connection was refused'),
      carrier,
      unread: undefined,
    },
  });
  expect(accepted).toEqual(['carrier']);
  expect(reports).toMatchObject([
    {
      type: 'remote_schema',
      name: 'remote schema down',
      path: '$.remote_schemas[0]',
      code: 'remote-schema-error',
      reason: 'the connection was refused',
    },
    { path: '$.remote_schemas[2]', code: 'remote-schema-error' },
  ]);
});

test('the error names all environment variables that are not set', () => {
  const { accepted, reports } = resolve({
    upstreams: { carrier },
    definition: {
      url: 'http://{{HOST}}/{{PATH}}/{{JOINERY_ADMIN_SECRET}}',
      headers: [
        { name: 'A', value: 'Bearer {{TOKEN}}' },
        { name: 'B', value_from_env: 'KEY' },
      ],
    },
    environment: { PATH: 'graphql', JOINERY_ADMIN_SECRET: 'x' },
  });
  expect(accepted).toEqual([]);
  expect(reports[0]?.code).toBe('invalid-params');
  expect(reports[0]?.reason).toMatch(
    /"HOST" is not set; .*"JOINERY_ADMIN_SECRET" holds a setting.*"TOKEN" is not set; .*"KEY" is not set$/,
  );
});

test.each(['http://h/{{PATH', 'http://h/{{}}', 'http://h/{{ A B }}'])('rejects the template in %j', (url) => {
  const { accepted, reports } = resolve({
    upstreams: { carrier },
    definition: { url },
    environment: { PATH: 'graphql' },
  });
  expect([accepted, reports[0]?.code, reports[0]?.reason]).toEqual([
    [],
    'invalid-params',
    expect.stringContaining('the URL of the remote schema contains "{{" that does not begin a template'),
  ]);
});

test('rejects a second remote schema of the same name', () => {
  expect(resolve({ upstreams: { carrier, 'carrier again': carrier } }).reports).toMatchObject([
    { path: '$.remote_schemas[1]', code: 'already-exists' },
  ]);
});

const tables = { order: { id: 'Int', status: 'enum order_status' } };

test.each([
  ['a table', 'type Query { a: order } type order { id: Int }', 'its type "order" is taken by table "public.order"'],
  ['an input of a table', 'type Query { a(w: order_bool_exp): Int } input order_bool_exp { a: Int }', 'order_bool_exp'],
  ['a column type', 'type Query { a: order_status } enum order_status { A }', 'its type "order_status" is taken by'],
  ['a type of the service', 'type Query { a(o: order_by): Int } input order_by { asc: Int }', 'by the service itself'],
  ['a custom type', 'type Query { a: Receipt } enum Receipt { id }', 'by the custom type "Receipt"'],
  ['a custom scalar', 'type Query { a: Moment } type Moment { id: Int }', 'by the custom type "Moment"'],
  ['a root field of a table', 'type Query { order_by_pk: Int }', 'query field "order_by_pk" is taken by table'],
  ['a query action', 'type Query { find: Int }', 'its query field "find" is taken by action "find"'],
  ['a mutation action', 'type Query { a: Int } type Mutation { pay: Int }', 'mutation field "pay" is taken by action'],
  ['a field of another', 'type Query { shipment: Int }', 'query field "shipment" is taken by remote schema "carrier"'],
  ['a type of another', 'type Query { a: Shipment } type Shipment { id: Int }', 'taken by remote schema "carrier"'],
])('drops a remote schema with the name of %s', (_owner, sdl, reason) => {
  const action = (name: string, type: string) => ({
    name,
    definition: { type, output_type: 'Receipt', handler: 'http://127.0.0.1/' },
  });
  const { accepted, reports } = resolve({
    tables,
    custom_types: {
      scalars: [{ name: 'Moment' }],
      objects: [{ name: 'Receipt', fields: [{ name: 'id', type: 'Int' }] }],
    },
    actions: [action('pay', 'mutation'), action('find', 'query')],
    upstreams: { carrier, rival: sdl, last: 'type Query { last: Int }' },
  });
  expect(accepted).toEqual(['carrier', 'last']);
  expect(reports).toMatchObject([{ name: 'remote schema rival', code: 'remote-schema-conflicts' }]);
  expect(reports[0]?.reason).toContain(reason);
});

test('accepts shared names of scalars, root types, unreachable types, and equal types of two schemas', () => {
  const page = (description: string) =>
    `"${description}" type PageInfo { "${description}" next: String next2: Moment }`;
  const { accepted, reports } = resolve({
    tables,
    custom_types: { scalars: [{ name: 'Moment' }] },
    upstreams: {
      one: `scalar Moment scalar order_status type Query { a: Moment p: PageInfo s: order_status } ${page('One')}`,
      two: `scalar Moment type Query { b: Moment q: PageInfo } type order { id: Int } ${page('Two')}`,
      three: 'schema { query: query_root } type query_root { c: Int }',
    },
  });
  expect(reports).toEqual([]);
  expect(accepted).toEqual(['one', 'two', 'three']);
});

test('lists the types that the service may have as well, to be compared when its schema is built', () => {
  const { reports, draft } = resolve({
    tables,
    custom_types: {
      enums: [{ name: 'Size', values: [{ value: 'S' }] }],
      input_objects: [{ name: 'Filter', fields: [{ name: 'size', type: 'Size' }] }],
      objects: [{ name: 'Receipt', fields: [{ name: 'id', type: 'Int' }] }],
    },
    upstreams: {
      one: `type Query { a(w: Int_comparison_exp, o: order_by, f: Filter): Receipt b: Other }
        input Int_comparison_exp { _eq: Int } enum order_by { asc } input Filter { size: Size } enum Size { S }
        type Receipt { id: Int } type Other { id: Int }`,
    },
  });
  expect(reports).toEqual([]);
  const [remote] = draft.remoteSchemas.values();
  expect([...(remote?.shared ?? [])].sort()).toEqual(['Filter', 'Int_comparison_exp', 'Receipt', 'Size', 'order_by']);
});

test.each([
  [5, /^.*"f0" is taken.*"f4" is taken by remote schema "one"$/],
  [6, /"f4" is taken by remote schema "one"; and 1 more$/],
  [12, /"f4" is taken by remote schema "one"; and 7 more$/],
])('the error of %i conflicts counts those beyond the first five', (count, reason) => {
  const names = Array.from({ length: count }, (_, index) => `f${index}: Int`).join(' ');
  const { reports } = resolve({ upstreams: { one: `type Query { ${names} }`, two: `type Query { ${names} }` } });
  expect(reports[0]?.reason).toMatch(reason);
});

test('offers the types that root fields reach, including implementations and inputs', () => {
  const schema = buildSchema(`
    interface Node { id: ID! }
    interface Named implements Node { id: ID! name: String }
    type User implements Node & Named { id: ID! name: String kind: Kind }
    enum Kind { A }
    type Alone { id: ID }
    union Some = User
    input Filter { deep: Deep } input Deep { at: Moment }
    scalar Moment
    type Query { node(filter: Filter): Node some: Some again: Query }
    type Mutation { touch: Boolean }
  `);
  expect([...offeredTypes(schema).keys()].sort()).toEqual(
    ['Deep', 'Filter', 'Kind', 'Moment', 'Named', 'Node', 'Query', 'Some', 'User'].sort(),
  );
});
