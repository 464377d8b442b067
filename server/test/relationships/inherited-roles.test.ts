/** Joins of an inherited role: the key of a join is null if the role does not see the cell, for every kind of join. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nextData, subscribe } from '../subscriptions/notes-service.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { connectedClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { connectionTo } from '../support/service/two-sources.ts';

const people = `
  create table person (id int primary key, name text not null, ssn text, boss_id int references person, grade int);
  insert into person values (1, 'Ann', 's1', 2, 5), (2, 'Bo', 's2', null, 6);
  create function token(person person) returns text stable language sql as $$ select person.ssn $$;
  create function people_by(number text, low int default 0) returns setof person
    stable language sql as $$ select * from person where ssn = number and id >= low $$;
`;
const files = `
  create table file (id int primary key, ssn text, note text);
  insert into file values (1, 's1', 'of Ann'), (2, 's2', 'of Bo');
  create table seat (id int primary key, holder text);
  insert into seat values (1, 'Ann'), (2, 'Bo');
`;
const upstream =
  'type Query { record(ssn: String!): Record, records(of: [String!]!): [String!]! } type Record { text: String }';

const toSource = (target: object, relationship_type: string, field_mapping: object) => ({
  to_source: { source: 'archive', relationship_type, field_mapping, ...target },
});
const lookup = (batch: object) => ({ to_action: { action: 'lookup', arguments: { ssn: '$ssn' }, ...batch } });

/** Each kind of join by `ssn`: the field, its value for a hidden key, and its value for the key `s1`. */
const joins: readonly {
  readonly name: string;
  readonly definition: object;
  readonly field: string;
  readonly hidden: unknown;
  readonly shown: unknown;
}[] = [
  { name: 'act', definition: lookup({}), field: 'act', hidden: null, shown: 'looked up s1' },
  { name: 'acts', definition: lookup({ batch: {} }), field: 'acts', hidden: null, shown: 'looked up s1' },
  {
    name: 'file',
    definition: toSource({ table: 'file' }, 'object', { ssn: 'ssn' }),
    field: 'file { note }',
    hidden: null,
    shown: { note: 'of Ann' },
  },
  {
    name: 'files',
    definition: toSource({ table: 'file' }, 'array', { ssn: 'ssn' }),
    field: 'files { note }',
    hidden: [],
    shown: [{ note: 'of Ann' }],
  },
  {
    name: 'counted',
    definition: toSource({ table: 'file' }, 'array', { ssn: 'ssn' }),
    field: 'counted: counted_aggregate { aggregate { count } }',
    hidden: { aggregate: { count: 0 } },
    shown: { aggregate: { count: 1 } },
  },
  {
    name: 'by_function',
    definition: toSource({ source: 'default', function: 'people_by' }, 'array', { ssn: 'number' }),
    field: 'by_function(args: {low: 0}) { name }',
    hidden: [],
    shown: [{ name: 'Ann' }],
  },
  {
    name: 'by_value',
    definition: toSource({ source: 'default', function: 'people_by' }, 'array', { token: 'number', id: 'low' }),
    field: 'by_value { name }',
    hidden: [],
    shown: [{ name: 'Ann' }],
  },
  {
    name: 'by_computed',
    definition: toSource({ table: 'file' }, 'object', { token: 'ssn' }),
    field: 'by_computed { note }',
    hidden: null,
    shown: { note: 'of Ann' },
  },
  {
    name: 'record',
    definition: {
      to_remote_schema: {
        remote_schema: 'records',
        lhs_fields: ['ssn'],
        remote_field: { record: { arguments: { ssn: '$ssn' } } },
      },
    },
    field: 'record { text }',
    hidden: null,
    shown: { text: 'record s1' },
  },
  {
    name: 'listed',
    definition: {
      to_remote_schema: {
        remote_schema: 'records',
        lhs_fields: ['ssn'],
        remote_field: { records: { arguments: { of: ['$ssn'] } } },
      },
    },
    field: 'listed',
    hidden: null,
    shown: ['record s1'],
  },
];

let service: TestService;
let archive: TestDatabase;
let handler: HandlerServer;
let remote: GraphQLServer;

/** A session that sees the ssn of person 1 only, and the names of all persons. */
const both = { 'x-service-role': 'both', 'x-service-user-id': '1' };
const hiddenKey = 's2';

beforeAll(async () => {
  archive = await testDatabase({ sql: files });
  handler = await startHandlerServer({
    '/lookup': ({ body }) => {
      const { input, inputs } = body as unknown as { input: { ssn: string }; inputs?: readonly { ssn: string }[] };
      const of = ({ ssn }: { ssn: string }) => `looked up ${ssn}`;
      return inputs === undefined ? of(input) : inputs.map(of);
    },
  });
  remote = await startGraphQLServer(upstream, {
    record: ({ ssn }: { ssn: string }) => ({ text: `record ${ssn}` }),
    records: ({ of }: { of: readonly string[] }) => of.map((ssn) => `record ${ssn}`),
  });
  service = await startService(
    {
      ARCHIVE_URL: archive.url,
      JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '40',
      JOINERY_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '40',
    },
    { sql: people },
  );
  const permit = (kind: string, table: string, role: string, permission: object, source = 'default') => ({
    type: `pg_create_${kind}_permission`,
    args: { source, table, role, permission },
  });
  const own = { id: 'x-service-user-id' };
  await service.command('pg_add_source', { name: 'archive', configuration: connectionTo(archive.url) });
  await service.command('add_remote_schema', { name: 'records', definition: { url: remote.url } });
  await service.command('bulk', [
    { type: 'track_table', args: 'person' },
    { type: 'pg_track_table', args: { source: 'archive', table: 'file' } },
    { type: 'pg_track_function', args: { function: 'people_by' } },
    { type: 'add_computed_field', args: { table: 'person', name: 'token', definition: { function: 'token' } } },
    {
      type: 'create_object_relationship',
      args: { table: 'person', name: 'boss', using: { foreign_key_constraint_on: 'boss_id' } },
    },
    {
      type: 'create_action',
      args: {
        name: 'lookup',
        definition: {
          type: 'query',
          output_type: 'String!',
          arguments: [{ name: 'ssn', type: 'String!' }],
          handler: `${handler.url}/lookup`,
        },
      },
    },
    { type: 'create_action_permission', args: { action: 'lookup', role: 'both' } },
    permit('select', 'person', 'own', {
      columns: ['id', 'name', 'ssn', 'boss_id', 'grade'],
      computed_fields: ['token'],
      filter: own,
    }),
    permit('select', 'person', 'names', { columns: ['id', 'name'], filter: {}, allow_aggregations: true }),
    permit('update', 'person', 'names', { columns: ['name'], filter: {} }),
    permit('insert', 'person', 'names', { columns: '*', check: {} }),
    permit('delete', 'person', 'names', { filter: {} }),
    permit('select', 'file', 'own', { columns: '*', filter: {}, allow_aggregations: true }, 'archive'),
    { type: 'add_inherited_role', args: { role_name: 'both', role_set: ['own', 'names'] } },
    { type: 'pg_track_table', args: { source: 'archive', table: 'seat' } },
    permit('select', 'seat', 'own', { columns: ['id', 'holder'], filter: own }, 'archive'),
    permit('select', 'seat', 'names', { columns: ['id'], filter: {}, allow_aggregations: true }, 'archive'),
    {
      type: 'pg_create_remote_relationship',
      args: {
        source: 'default',
        table: 'person',
        name: 'seats',
        definition: toSource({ table: 'seat' }, 'array', { name: 'holder' }),
      },
    },
    ...joins.map(({ name, definition }) => ({
      type: 'pg_create_remote_relationship',
      args: { source: 'default', table: 'person', name, definition },
    })),
  ]);
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([archive?.drop(), handler?.close(), remote?.close()]);
});

/** Returns the data. Asserts that the hidden key was not sent to the handler or the remote schema. */
async function data(query: string): Promise<unknown> {
  handler.reset();
  remote.reset();
  const body = (await service.graphql(query, both)) as { readonly data?: unknown };
  expect(handler.calls.map(({ text }) => text).join()).not.toContain(`"${hiddenKey}"`);
  expect(remote.requests.map((request) => request.body).join()).not.toContain(hiddenKey);
  if (body.data === undefined || 'errors' in body) throw new Error(JSON.stringify(body));
  return body.data;
}

describe.each(joins)('the join $field has null as its hidden key', ({ name, field, hidden, shown }) => {
  const expected = [
    { id: 1, [name]: shown },
    { id: 2, [name]: hidden },
  ];
  const sorted = 'order_by: {id: asc}';

  test('in a list', async () => {
    expect(await data(`{ person(${sorted}) { id ${field} } }`)).toEqual({ person: expected });
  });

  test('in a page that is limited before its fields are computed', async () => {
    expect(await data(`{ person(order_by: {name: asc}, offset: 1, limit: 1) { id ${field} boss { id } } }`)).toEqual({
      person: [{ ...expected[1], boss: null }],
    });
    expect(await data(`{ person(distinct_on: id, ${sorted}) { id ${field} } }`)).toEqual({ person: expected });
  });

  test('in a single row', async () => {
    expect(await data(`{ person_by_pk(id: 2) { id ${field} } }`)).toEqual({ person_by_pk: expected[1] });
  });

  test('in the nodes of an aggregate, with and without a limit', async () => {
    for (const page of ['', ', limit: 2']) {
      expect(
        await data(`{ person_aggregate(${sorted}${page}) { aggregate { count } nodes { id ${field} } } }`),
      ).toEqual({ person_aggregate: { aggregate: { count: 2 }, nodes: expected } });
    }
  });

  test('in a related row', async () => {
    expect(await data(`{ person_by_pk(id: 1) { boss { id ${field} } } }`)).toEqual({
      person_by_pk: { boss: expected[1] },
    });
  });

  test('in the rows of a function', async () => {
    expect(await data(`{ people_by(args: {number: "s2"}) { id ${field} } }`)).toEqual({ people_by: [expected[1]] });
  });

  test('in the rows that an insert, an update and a delete return', async () => {
    const change = `update_person(where: {id: {_eq: 2}}, _set: {name: "Bo"}) { returning { id ${field} } }`;
    expect(await data(`mutation { ${change} }`)).toEqual({ update_person: { returning: [expected[1]] } });
    const again = `update_person_by_pk(pk_columns: {id: 2}, _set: {name: "Bo"}) { id ${field} boss { id } }`;
    expect(await data(`mutation { ${again} }`)).toEqual({ update_person_by_pk: { ...expected[1], boss: null } });
    const insert = `insert_person(objects: {id: 3, name: "Cy", ssn: "s2"}) { returning { id ${field} } }`;
    const remove = `delete_person(where: {id: {_eq: 3}}) { returning { id ${field} } }`;
    const third = { ...expected[1], id: 3 };
    expect(await data(`mutation { ${insert} ${remove} }`)).toEqual({
      insert_person: { returning: [third] },
      delete_person: { returning: [third] },
    });
  });

  test('in a subscription and a stream', async () => {
    const client = await connectedClient(service.url, both);
    subscribe(client, `subscription { person(${sorted}) { id ${field} } }`, undefined, 'live');
    expect(await nextData(client)).toEqual({ person: expected });
    client.send({ id: 'live', type: 'complete' });
    const stream = `person_stream(batch_size: 5, cursor: {initial_value: {id: 0}}) { id ${field} }`;
    subscribe(client, `subscription { ${stream} }`, undefined, 'stream');
    expect(await nextData(client)).toEqual({ person_stream: expected });
    await client.close();
  });
});

test('a row of another source matches only by a cell that the role sees in that source', async () => {
  expect(
    await data('{ person(order_by: {id: asc}) { seats { id } seats_aggregate { aggregate { count } } } }'),
  ).toEqual({
    person: [
      { seats: [{ id: 1 }], seats_aggregate: { aggregate: { count: 1 } } },
      { seats: [], seats_aggregate: { aggregate: { count: 0 } } },
    ],
  });
});

test('a relationship within a source returns rows although the role does not see its key', async () => {
  expect(await data('{ person(order_by: {id: asc}) { boss_id boss { name } } }')).toEqual({
    person: [
      { boss_id: 2, boss: { name: 'Bo' } },
      { boss_id: null, boss: null },
    ],
  });
});
