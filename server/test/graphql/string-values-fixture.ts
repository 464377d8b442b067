/** A service with columns of many types, functions, an action and REST endpoints that accept values of columns. */
import { printJson } from '../../src/base/json-value.ts';
import { startHandlerServer } from '../support/http/handler-server.ts';
import { startService } from '../support/service/test-service.ts';

/** Types, an input text for each, and the value in the response. */
export const kinds: readonly (readonly [type: string, text: string, output: unknown])[] = [
  ['int2', ' 7 ', 7],
  ['int4', '+5', 5],
  ['int8', '9007199254740993', 9007199254740993n],
  ['numeric', '1.50', 1.5],
  ['numeric(6,2)', '1e2', 100],
  ['float4', '1.25', 1.25],
  ['float4', 'NaN', 'NaN'],
  ['float8', '-Infinity', '-Infinity'],
  ['money', '1.5', '$1.50'],
  ['bool', 'yes', true],
  ['bool', 'true', true],
  ['text', '{a,b}', '{a,b}'],
  ['varchar(9)', '1', '1'],
  ['char(3)', 'a', 'a  '],
  ['name', 'a', 'a'],
  ['uuid', '{28D6D683131749f7b1cf7d195242e4e5}', '28d6d683-1317-49f7-b1cf-7d195242e4e5'],
  ['date', '2024-02-30 BC'.replace('30', '20'), '2024-02-20 BC'],
  ['timestamptz', '2024-05-06 07:08:09Z', '2024-05-06T07:08:09+00:00'],
  ['timestamp', '2024-05-06 07:08', '2024-05-06T07:08:00'],
  ['timetz', '07:08+02', '07:08:00+02'],
  ['interval', '1 day', '1 day'],
  ['bytea', '\\xff', '\\xff'],
  ['json', '{"a":1}', '{"a":1}'],
  ['jsonb', '[1]', '[1]'],
  ['inet', '10.0.0.1/8', '10.0.0.1/8'],
  ['macaddr', '08002b010203', '08:00:2b:01:02:03'],
  ['int4range', '[1,3]', '[1,4)'],
  ['feeling', 'cross', 'cross'],
  ['pair', '(1,b)', { n: 1, t: 'b' }],
  ['positive', '3', 3],
  ['tags', '{a}', ['a']],
  ['point', '1,2', '(1,2)'],
  ['tsvector', 'b a', "'a' 'b'"],
  ['tsquery', 'a & b', "'a' & 'b'"],
  ['bit(3)', '101', '101'],
  ['xml', '<a/>', '<a/>'],
  ['int4[]', '{1,NULL,3}', [1, null, 3]],
  ['int4[]', '[0:1]={4,5}', [4, 5]],
  [
    'int4[]',
    '{{1,2},{3,4}}',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['bool[]', '{t,f}', [true, false]],
  ['float4[]', '{1.5}', [1.5]],
  ['text[]', '{a,"b c",NULL}', ['a', 'b c', null]],
  ['text[]', ' {} ', []],
  ['uuid[]', '{28d6d683-1317-49f7-b1cf-7d195242e4e5}', ['28d6d683-1317-49f7-b1cf-7d195242e4e5']],
  ['feeling[]', '{calm}', ['calm']],
  ['jsonb[]', '{"{\\"a\\":1}",2}', [{ a: 1 }, 2]],
  ['timestamptz[]', '{2024-05-06 07:08Z}', ['2024-05-06T07:08:00+00:00']],
  ['int4range[]', '{"[1,3]"}', ['[1,4)']],
];
export const column = (index: number) => `c${index}`;

const sql = `
  create type feeling as enum ('calm', 'cross');
  create type pair as (n int, t text);
  create domain positive as int check (value > 0);
  create domain tags as text[];
  create table kinds (id serial primary key, ${kinds.map(([type], index) => `${column(index)} ${type}`).join(', ')});
  create table item (
    id int primary key, n int, f real, flag boolean, tags text[], nums int[], doc jsonb, amount numeric, owner int
  );
  create table keyed (nums int[] primary key, note text);
  create function tagged(wanted text[], minimum int, strict_ boolean default false) returns setof item language sql stable as
    $$ select * from item where tags @> wanted and n >= minimum and (not strict_ or flag) $$;
  create function joined(item, list text[], times int) returns text language sql stable as
    $$ select repeat(array_to_string($2, '-'), $3) $$;
`;

export const userHeaders = { 'x-service-role': 'user', 'x-service-tags': '{a,b}', 'x-service-owner': '7' };
const user = {
  filter: { owner: { _eq: 'X-Service-Owner' }, n: { _gte: '1' }, id: { _in: ['1', '2', '3'] } },
  set: { owner: 'X-Service-Owner', tags: 'X-Service-Tags', nums: '{8,9}', flag: 'yes' },
};
const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        { table: 'kinds' },
        { table: 'keyed' },
        {
          table: 'item',
          computed_fields: [{ name: 'joined', definition: { function: 'joined' } }],
          select_permissions: [{ role: 'user', permission: { columns: '*', filter: user.filter } }],
          insert_permissions: [
            { role: 'user', permission: { columns: ['id', 'n'], check: { n: { _lt: '100' } }, set: user.set } },
          ],
        },
      ],
      functions: [{ function: 'tagged' }],
    },
  ],
  query_collections: [
    {
      name: 'rest',
      definition: {
        queries: [
          { name: 'by_number', query: 'query ($n: Int!) { item(where: {n: {_eq: $n}}) { id } }' },
          { name: 'by_tags', query: 'query ($tags: [String!]!) { item(where: {tags: {_contains: $tags}}) { id } }' },
          {
            name: 'by_numbers',
            query: 'query ($ns: [Int!]) { item(where: {n: {_in: $ns}}, order_by: {id: asc}) { id } }',
          },
        ],
      },
    },
  ],
  rest_endpoints: ['by_number', 'by_tags', 'by_numbers'].map((name) => ({
    name,
    url: name === 'by_number' ? 'number/:n' : name,
    methods: ['GET'],
    definition: { query: { collection_name: 'rest', query_name: name } },
  })),
  custom_types: { objects: [{ name: 'Echo', fields: [{ name: 'n', type: 'Int' }] }] },
  actions: [
    {
      name: 'echo',
      definition: {
        kind: 'synchronous',
        type: 'query',
        handler: '{{HANDLER}}/echo',
        output_type: 'Echo',
        arguments: [
          { name: 'n', type: 'Int' },
          { name: 'l', type: '[String!]' },
        ],
      },
    },
  ],
};

export interface Result {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string; readonly path: string };
  }[];
}

export type StringValues = Awaited<ReturnType<typeof startStringValues>>;

export async function startStringValues() {
  const handlers = await startHandlerServer({ '/echo': ({ body }) => body.input });
  const service = await startService({ HANDLER: handlers.url }, { sql });
  await service.command('replace_metadata', metadata);

  async function run(text: string): Promise<readonly (readonly unknown[])[]> {
    return (await service.database.database.query({ text, values: [] })).rows;
  }

  async function graphql(query: string, variables?: unknown, session = {}): Promise<Result> {
    // Exact numbers are sent with all their digits.
    return (await service.post('/v1/graphql', printJson({ query, variables }), session)).body as Result;
  }

  return {
    service,
    run,
    graphql,
    /** Returns the data. Throws if the result has errors. */
    data: async (query: string, variables?: unknown, session = {}): Promise<unknown> => {
      const result = await graphql(query, variables, session);
      if (result.errors !== undefined) throw new Error(JSON.stringify(result.errors));
      return result.data;
    },
    /** Empties the tables and fills `item`. */
    refill: async () => {
      await run('truncate item, kinds, keyed');
      await run(`insert into item values
        (1, 1, 1.5, true, '{a,b}', '{1,2}', '{"k":1}', 1.5, 7), (2, 2, 2.5, false, '{c}', '{3}', '"s"', 2.5, 7),
        (3, 3, null, null, '{}', '{}', null, null, 8)`);
    },
    stop: async () => {
      await service.stop();
      await handlers.close();
    },
  };
}
