/** Walks through the pages of a connection in both directions, in random orders, and compares them with all rows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Random, randomFrom } from '../../fuzz/random.ts';
import { startService, type TestService } from '../../support/service/test-service.ts';

const sql = `
create type mood as enum ('bad', 'good', 'great');
create type pair as (a int, b text);
create table maker (id int primary key, name text, rank int);
insert into maker values (1, 'Ada', 2), (2, null, 2), (3, 'ada', null), (4, 'Bob', 1);
create table thing (
  a int, b int, n int, big bigint not null, t text, c char(4), num numeric, f float8, r float4, yes boolean, at timestamptz, d date,
  i interval, u uuid, j jsonb, js json, l text[], m mood, bytes bytea, p pair, ip inet, s text not null, maker_id int references maker,
  primary key (a, b)
);
insert into thing select
  n % 5, n, nullif(n % 4, 0), 9007199254740993 + n % 3, (array['x', 'Y', 'ä"\\', null])[n % 4 + 1], (array['a', 'ab ', null])[n % 3 + 1],
  (array['NaN', '0.1', '1e30', null]::numeric[])[n % 4 + 1], (array['NaN', '0.1', '-Infinity', null]::float8[])[n % 4 + 1],
  (array[0.1, 0.3, null]::float4[])[n % 3 + 1], (array[true, false, null])[n % 3 + 1],
  (array['infinity', '2020-01-01 00:00:00.123456+02', null]::timestamptz[])[n % 3 + 1],
  (array['0044-03-15 BC', '2020-01-01', null]::date[])[n % 3 + 1], (array['1 day', '-02:00:00.5', null]::interval[])[n % 3 + 1],
  (array['11111111-1111-1111-1111-111111111111', null]::uuid[])[n % 2 + 1],
  (array['null', '{"a": [1, "x"]}', '"text"', '3', null]::jsonb[])[n % 5 + 1],
  (array['null', '{"a": [1, "x"]}', '"text"', '3', null]::json[])[n % 5 + 1],
  (array[null, '{a,"b,c",NULL}'])[n % 2 + 1]::text[], (array['good', 'bad', null]::mood[])[n % 3 + 1],
  (array['\\x00ff', '\\x', null]::bytea[])[n % 3 + 1], (array['(1,"x y")', null]::pair[])[n % 2 + 1],
  (array['10.0.0.0/8', '::1', null]::inet[])[n % 3 + 1], (array['one', 'two'])[n % 2 + 1], (array[1, 2, 3, 4, null])[n % 5 + 1]
from generate_series(1, 23) as n;
`;

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql });
  for (const table of ['maker', 'thing']) await service.command('track_table', table);
  await service.command('create_object_relationship', {
    table: 'thing',
    name: 'maker',
    using: { foreign_key_constraint_on: 'maker_id' },
  });
  await service.command('create_array_relationship', {
    table: 'maker',
    name: 'things',
    using: { foreign_key_constraint_on: { table: 'thing', column: 'maker_id' } },
  });
}, 60_000);

afterAll(() => service.stop());

const directions = ['asc', 'desc', 'asc_nulls_first', 'asc_nulls_last', 'desc_nulls_first', 'desc_nulls_last'];
const columns = 'a b n big t c num f r yes at d i u j js l m bytes p ip s maker_id'.split(' ');
const others = [
  (direction: string) => `{ maker: { name: ${direction} } }`,
  (direction: string) => `{ maker: { rank: ${direction} } }`,
  (direction: string) => `{ maker: { things_aggregate: { count: ${direction} } } }`,
  (direction: string) => `{ maker: { things_aggregate: { avg: { n: ${direction} } } } }`,
  (direction: string) => `{ maker: { things_aggregate: { sum: { r: ${direction} } } } }`,
  (direction: string) => `{ maker: { things_aggregate: { max: { t: ${direction} } } } }`,
  (direction: string) => `{ maker: { things_aggregate: { min: { u: ${direction} } } } }`,
];

function orderTerm(random: Random): string {
  const direction = random.pick(directions);
  return random.oneIn(4) ? random.pick(others)(direction) : `{ ${random.pick(columns)}: ${direction} }`;
}

interface Selection {
  /** The arguments that select and sort the rows. */
  readonly args: string;
  /** The same for a list, whose order must end with the primary key to be total. */
  readonly ofList: string;
}

function selection(random: Random): Selection {
  const terms = Array.from({ length: 1 + random.below(3) }, () => orderTerm(random));
  const where = random.oneIn(3) ? ', where: { b: { _gt: 4 }, s: { _eq: "one" } }' : '';
  const column = random.oneIn(5) ? random.pick(columns) : undefined;
  if (column !== undefined) terms.unshift(`{ ${column}: ${random.pick(directions)} }`);
  const distinct = column === undefined ? '' : `distinct_on: ${column}, `;
  const [own, total] = [terms, [...terms, '{ a: asc }', '{ b: asc }']].map((order) => {
    return `${distinct}order_by: [${order.join(', ')}]${where}`;
  });
  return { args: own ?? '', ofList: total ?? '' };
}

async function readList(args: string): Promise<readonly number[]> {
  const body = await service.graphql(`{ thing(${args}) { b } }`);
  return (body as { data: { thing: readonly { b: number }[] } }).data.thing.map(({ b }) => b);
}

interface Page {
  readonly pageInfo: Readonly<Record<'startCursor' | 'endCursor', string>> & {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly b: number } }[];
}

async function readPage(args: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Page> {
  const query = `query ($cursor: String, $size: Int) { thing_connection(${args}) {
    pageInfo { startCursor endCursor hasNextPage hasPreviousPage } edges { cursor node { b } } } }`;
  const { body } = await service.post('/v1beta1/relay', { query, variables });
  const page = (body as { data?: { thing_connection: Page } }).data?.thing_connection;
  if (page === undefined) throw new Error(`${args} ${JSON.stringify(variables)}: ${JSON.stringify(body)}`);
  return page;
}

const rowsOf = ({ edges }: Page): readonly number[] => edges.map(({ node }) => node.b);

/** Returns the rows of all pages, and checks the cursors and flags of each. */
async function walk(args: string, size: number, way: 'forward' | 'backward', asVariable: boolean): Promise<number[]> {
  const [side, end] = way === 'forward' ? ['after', 'first'] : ['before', 'last'];
  let rows: number[] = [];
  let cursor: string | undefined;
  for (;;) {
    const at = asVariable ? '$cursor' : JSON.stringify(cursor);
    const bound = cursor === undefined ? '' : `, ${side}: ${at}`;
    const page = await readPage(`${args}, ${end}: $size${bound}`, { size, ...(asVariable && { cursor }) });
    const { startCursor, endCursor, hasNextPage, hasPreviousPage } = page.pageInfo;
    const [behind, beyond] = way === 'forward' ? [hasPreviousPage, hasNextPage] : [hasNextPage, hasPreviousPage];
    expect({ args, behind }).toEqual({ args, behind: cursor !== undefined });
    expect([startCursor, endCursor]).toEqual([page.edges[0]?.cursor ?? '', page.edges.at(-1)?.cursor ?? '']);
    rows = way === 'forward' ? [...rows, ...rowsOf(page)] : [...rowsOf(page), ...rows];
    if (!beyond) return rows;
    expect(page.edges.length).toBe(size);
    cursor = way === 'forward' ? endCursor : startCursor;
  }
}

const seed = process.env.FUZZ_SEED === 'random' ? Date.now() : Number(process.env.FUZZ_SEED ?? 1);

test(`pages in both directions have every row once, in the order of all rows (seed ${seed})`, async () => {
  const random = randomFrom(seed);
  for (let count = 0; count < 40; count += 1) {
    const { args, ofList } = selection(random);
    const all = rowsOf(await readPage(args));
    expect({ args, all }).toEqual({ args, all: await readList(ofList) });
    const size = 1 + random.below(7);
    const asVariable = random.oneIn(2);
    for (const way of ['forward', 'backward'] as const) {
      expect({ args, size, way, rows: await walk(args, size, way, asVariable) }).toEqual({
        args,
        size,
        way,
        rows: all,
      });
    }
  }
}, 120_000);

test.each(columns)('a cursor holds the values of column %s without a loss', async (column) => {
  const args = `order_by: { ${column}: asc_nulls_first }`;
  const all = rowsOf(await readPage(args));
  expect(all.length).toBe(23);
  expect(await walk(args, 3, 'forward', true)).toEqual(all);
  expect(await walk(args, 5, 'backward', false)).toEqual(all);
});
