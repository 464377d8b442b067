/** What the schema offers for a column can be used: its operators, its order, and its different values. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nextData, subscribe } from '../subscriptions/notes-service.ts';
import { connectedClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

/** Types of columns, and a value of each. */
const types: readonly (readonly [type: string, text: string])[] = [
  ['boolean', 'true'],
  ['smallint', '1'],
  ['numeric', '1.5'],
  ['money', '1.5'],
  ['text', 'a'],
  ['char(3)', 'a'],
  ['name', 'a'],
  ['citext', 'a'],
  ['uuid', '00000000-0000-0000-0000-000000000001'],
  ['date', '2024-01-01'],
  ['timetz', '01:00+00'],
  ['interval', '1 day'],
  ['bytea', '\\x01'],
  ['json', '{"a": 1}'],
  ['jsonb', '{"a": 1}'],
  ['inet', '10.0.0.1'],
  ['macaddr', '08:00:2b:01:02:03'],
  ['bit(3)', '101'],
  ['tsvector', 'a'],
  ['tsquery', 'a'],
  ['pg_lsn', '0/1'],
  ['pg_snapshot', '10:20:'],
  ['oid', '1'],
  ['xid', '1'],
  ['xml', '<a/>'],
  ['jsonpath', '$.a'],
  ['point', '(1,1)'],
  ['line', '{1,1,1}'],
  ['lseg', '[(0,0),(1,1)]'],
  ['box', '(1,1),(0,0)'],
  ['path', '((0,0),(1,1))'],
  ['polygon', '((0,0),(1,1))'],
  ['circle', '<(0,0),1>'],
  ['hstore', 'a=>1'],
  ['ltree', 'a.b'],
  ['lquery', 'a.*'],
  ['ltxtquery', 'a'],
  ['int4range', '[1,2)'],
  ['int4multirange', '{[1,2)}'],
  ['mood', 'calm'],
  ['pair', '(1,a)'],
  ['temper', 'calm'],
  ['humor', 'calm'],
  ['positive', '1'],
  ['names', '{a}'],
  ['period', '[1,2)'],
  ['int[]', '{1}'],
  ['citext[]', '{a}'],
  ['json[]', '{1}'],
  ['jsonb[]', '{1}'],
  ['mood[]', '{calm}'],
  ['temper[]', '{calm}'],
  ['hstore[]', '{a=>1}'],
  ['point[]', '{"(1,1)"}'],
  ['box[]', '{(1,1),(0,0)}'],
  ['xid[]', '{1}'],
];
const named = (index: number) => `c${index}`;

const sql = `
  create extension citext; create extension ltree; create extension hstore;
  create type mood as enum ('calm', 'cross');
  create type pair as (n int, t text);
  create domain positive as int check (value > 0);
  create domain temper as mood;
  create domain humor as temper check (value::mood <> 'cross');
  create domain names as text[];
  create domain period as int4range;
  create table kinds (${types.map(([type], index) => `${named(index)} ${type}`).join(', ')}, owner int);
  create table owner (id int primary key, temper temper, mood mood);
  insert into owner values (1, 'calm', 'calm');
  insert into kinds values (${types.map(([, text]) => `'${text.replaceAll("'", "''")}'`).join(', ')}, 1);
`;

let service: TestService;
const members = new Map<string, readonly { readonly name: string; readonly type: { readonly name: string } }[]>();

beforeAll(async () => {
  service = await startService({}, { sql });
  for (const table of ['kinds', 'owner']) await service.command('pg_track_table', { table });
  await service.command('pg_create_array_relationship', {
    table: 'owner',
    name: 'kinds',
    using: { manual_configuration: { remote_table: 'kinds', column_mapping: { id: 'owner' } } },
  });
  await service.command('pg_create_object_relationship', {
    table: 'owner',
    name: 'even',
    using: { manual_configuration: { remote_table: 'owner', column_mapping: { temper: 'mood' } } },
  });
  const data = (await dataOf('{ __schema { types { name inputFields { name type { name } } } } }')) as {
    __schema: { types: readonly { name: string; inputFields: never }[] };
  };
  for (const { name, inputFields } of data.__schema.types) members.set(name, inputFields ?? []);
});
afterAll(() => service?.stop());

async function dataOf(query: string, variables?: unknown): Promise<unknown> {
  const { data, errors } = (await service.graphql(query, {}, variables)) as { data?: unknown; errors?: unknown };
  return errors ?? data;
}

const offers = (type: string, member: string) => members.get(type)?.some(({ name }) => name === member) === true;
/** Operators whose value is of another type than the column, or a pattern. */
const others = /^_(?:cast|is_null|has_key|jsonb_path|matches)/;
const lists = /^_(?:n?in|ancestor_any|descendant_any)$/;

describe.each(types.map(([type, text], index) => [type, text, named(index)] as const))(
  'a column of type %s',
  (_type, text, column) => {
    test('can be compared by every operator that it has', async () => {
      const comparison = members.get('kinds_bool_exp')?.find(({ name }) => name === column)?.type.name ?? '';
      const value: unknown = comparison.startsWith('jsonb_comparison') ? JSON.parse(text) : text;
      const operators = (members.get(comparison) ?? []).filter(({ name }) => !others.test(name));
      for (const { name } of operators) {
        const where = { [column]: { [name]: lists.test(name) ? [value] : value } };
        const rows = await dataOf('query ($where: kinds_bool_exp!) { kinds(where: $where) { owner } }', { where });
        expect([name, rows]).toEqual([name, { kinds: expect.any(Array) as unknown }]);
        if (['_eq', '_in'].includes(name)) expect(rows).toEqual({ kinds: [{ owner: 1 }] });
        if (['_neq', '_nin'].includes(name)) expect(rows).toEqual({ kinds: [] });
      }
    });

    test('can sort rows, and has distinct values, or has neither', async () => {
      const sorts = offers('kinds_order_by', column);
      if (sorts) {
        const ordered = await dataOf(`{ kinds(order_by: {${column}: asc}) { owner } }`);
        expect(ordered).toEqual({ kinds: [{ owner: 1 }] });
      }
      const rejected = (path: string) => [
        expect.objectContaining({ extensions: { code: 'validation-failed', path: `$.selectionSet.${path}` } }),
      ];
      const distinct = await dataOf(`{ kinds(distinct_on: ${column}) { owner } }`);
      expect(distinct).toEqual(sorts ? { kinds: [{ owner: 1 }] } : rejected('kinds.args.distinct_on'));
      const count = (of: string) => `query ($distinct: Boolean = true) {
      kinds_aggregate { aggregate { count(columns: ${of}, distinct: $distinct) } }
    }`;
      const counted = { kinds_aggregate: { aggregate: { count: 1 } } };
      const place = 'kinds_aggregate.selectionSet.aggregate.selectionSet.count.args.distinct';
      for (const of of [column, `[owner, ${column}]`]) {
        expect(await dataOf(count(of))).toEqual(sorts ? counted : rejected(place));
        expect(await dataOf(count(of), { distinct: false })).toEqual(counted);
      }
      const having = `count: {arguments: [${column}], distinct: true, predicate: {_eq: 1}}`;
      const owners = await dataOf(`{ owner(where: {kinds_aggregate: {${having}}}) { id } }`);
      expect(owners).toEqual(
        sorts ? { owner: [{ id: 1 }] } : rejected('owner.args.where.kinds_aggregate.count.distinct'),
      );
    });
  },
);

test.each(['temper', 'humor'])('the domain %s over an enum has max and min', async (type) => {
  const column = named(types.findIndex(([name]) => name === type));
  expect(await dataOf(`{ kinds_aggregate { aggregate { max { ${column} } min { ${column} } } } }`)).toEqual({
    kinds_aggregate: { aggregate: { max: { [column]: 'calm' }, min: { [column]: 'calm' } } },
  });
});

test('rows are related by a domain over an enum and the enum', async () => {
  expect(
    await dataOf('{ owner(where: {even: {id: {_eq: 1}}}, order_by: {even: {temper: asc}}) { even { id } } }'),
  ).toEqual({
    owner: [{ even: { id: 1 } }],
  });
});

test('a domain over an enum can be the cursor of a stream', async () => {
  const client = await connectedClient(service.url);
  try {
    const column = named(types.findIndex(([name]) => name === 'temper'));
    const cursor = `cursor: {initial_value: {${column}: "cross"}, ordering: DESC}, batch_size: 1`;
    subscribe(client, `subscription { kinds_stream(${cursor}) { owner } }`);
    expect(await nextData(client)).toEqual({ kinds_stream: [{ owner: 1 }] });
  } finally {
    await client.close();
  }
});
