/** Pages of connections, compared with pages of sorted lists. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database/test-database.ts';
import { by, column, columns, rows, run, tables, track } from '../../../test/support/model/print-model.ts';
import type { ConnectionPart, ConnectionPlan, OrderTerm, RowsPlan } from '../../plan/plan/query.ts';
import { compile, type Sql, sql } from '../../postgres/sql/sql.ts';
import { singleOf } from '../object-select.ts';
import { type PrintSettings, startPrinting } from '../printing.ts';
import { selectConnection } from '../select.ts';

/** The rows of `track` in `print-model.ts`. */
const tracks = [
  { id: 1, album_id: 1, name: 'a', seconds: 100 },
  { id: 2, album_id: 1, name: 'b', seconds: 250 },
  { id: 3, album_id: 2, name: 'c', seconds: 50 },
  { id: 4, album_id: 1, name: 'b', seconds: null },
  { id: 5, album_id: null, name: 'd', seconds: 10 },
] as const;

type Track = (typeof tracks)[number];

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({ sql: tables });
});
afterAll(() => db.drop());

interface Page {
  /** The position of the row whose cursor bounds the page, in the order; undefined: no bound. */
  readonly bound: { readonly side: 'after' | 'before'; readonly at: number } | undefined;
  readonly page: { readonly end: 'first' | 'last'; readonly size: number } | undefined;
}

/** Every page of a list of `length` rows. */
function pagesOf(length: number): Page[] {
  const positions = Array.from({ length }, (_, at) => at);
  const bounds = (['after', 'before'] as const).flatMap((side) => positions.map((at) => ({ side, at })));
  const sizes = (['first', 'last'] as const).flatMap((end) => [0, 1, 2, length].map((size) => ({ end, size })));
  return [undefined, ...bounds].flatMap((bound) => [undefined, ...sizes].map((page) => ({ bound, page })));
}

const info = ['startCursor', 'endCursor', 'hasNextPage', 'hasPreviousPage'] as const;
const infoPart: ConnectionPart = {
  kind: 'pageInfo',
  alias: 'pageInfo',
  members: [{ kind: 'constant', alias: 'type', value: 'PageInfo' }, ...info.map((kind) => ({ kind, alias: kind }))],
};
const edgesPart: ConnectionPart = {
  kind: 'edges',
  alias: 'edges',
  members: [
    { kind: 'constant', alias: 'type', value: 'Edge' },
    { kind: 'cursor', alias: 'cursor' },
    { kind: 'node', alias: 'node', fields: columns(track, 'id') },
  ],
};
const parts: readonly ConnectionPart[] = [
  { kind: 'constant', alias: 'type', value: 'Connection' },
  infoPart,
  edgesPart,
];

function planOf(order: readonly OrderTerm[], more: Partial<ConnectionPlan> & { readonly rows?: RowsPlan }) {
  const cursor = order.map(({ by: key }) => {
    if (key.kind !== 'column') throw new TypeError('the orders of this file have columns');
    return { path: [key.column.name], type: key.column.type, nullable: key.column.name !== 'id' };
  });
  const plan: ConnectionPlan = {
    rows: rows(track, [], { orderBy: order }),
    cursor,
    bound: undefined,
    page: undefined,
    parts,
    ...more,
  };
  return plan;
}

function printed(plan: ConnectionPlan, settings: PrintSettings = { stringifyNumerics: false }): Sql {
  const printing = startPrinting(settings);
  return sql`select to_json(${singleOf(
    selectConnection(plan, () => [], printing),
    printing,
  )})`;
}

async function connection(plan: ConnectionPlan, settings?: PrintSettings): Promise<unknown> {
  const [[found] = []] = await run(db.database, printed(plan, settings));
  return found;
}

const cell = (row: Track, name: string): unknown => row[name as keyof Track];
const cursorOf = (row: Track, plan: ConnectionPlan): string => {
  const members = plan.cursor.map(({ path: [name = ''] }) => `"${name}" : ${JSON.stringify(cell(row, name))}`);
  return Buffer.from(`{${members.join(', ')}}`).toString('base64');
};

function boundOf({ bound }: Page, sorted: readonly Track[], plan: ConnectionPlan): ConnectionPlan['bound'] {
  const row = bound && sorted[bound.at];
  if (bound === undefined || row === undefined) return undefined;
  const values = plan.cursor.map(({ path: [name = ''] }) => {
    const value = cell(row, name);
    return value === null ? null : String(value);
  });
  return { side: bound.side, at: { values } };
}

/** The page of the sorted rows as a connection. */
function expected({ bound, page }: Page, sorted: readonly Track[], plan: ConnectionPlan): unknown {
  const within = sorted.filter(
    (_, at) => bound === undefined || (bound.side === 'after' ? at > bound.at : at < bound.at),
  );
  const size = page?.size ?? within.length;
  const forward = page?.end !== 'last';
  const list = forward ? within.slice(0, size) : within.slice(within.length - Math.min(size, within.length));
  const beyond = within.length > list.length;
  const [first, last] = [list[0], list.at(-1)];
  const some = first !== undefined;
  return {
    type: 'Connection',
    pageInfo: {
      type: 'PageInfo',
      startCursor: first === undefined ? '' : cursorOf(first, plan),
      endCursor: last === undefined ? '' : cursorOf(last, plan),
      hasNextPage: some && ((forward && beyond) || bound?.side === 'before'),
      hasPreviousPage: some && ((!forward && beyond) || bound?.side === 'after'),
    },
    edges: list.map((row) => ({ type: 'Edge', cursor: cursorOf(row, plan), node: { id: row.id } })),
  };
}

const nullsFirst = (term: OrderTerm): OrderTerm => ({ ...term, nulls: 'first' });
const nullsLast = (term: OrderTerm): OrderTerm => ({ ...term, nulls: 'last' });
const [id, seconds, album, name] = [by(track, 'id'), by(track, 'seconds'), by(track, 'album_id'), by(track, 'name')];
const falling = by(track, 'id', 'desc');

/** Orders, and the ids of the rows in them. */
const orders: readonly (readonly [string, readonly OrderTerm[], readonly number[]])[] = [
  ['a key', [id], [1, 2, 3, 4, 5]],
  ['a key, falling', [falling], [5, 4, 3, 2, 1]],
  ['nulls last', [seconds, id], [5, 3, 1, 2, 4]],
  ['nulls first', [nullsFirst(seconds), id], [4, 5, 3, 1, 2]],
  ['falling with nulls first', [by(track, 'seconds', 'desc'), id], [4, 2, 1, 3, 5]],
  ['falling with nulls last', [nullsLast(by(track, 'seconds', 'desc')), id], [2, 1, 3, 5, 4]],
  ['equal values', [album, falling], [4, 2, 1, 3, 5]],
  ['three terms', [album, name, falling], [1, 4, 2, 3, 5]],
];

/** Compares every page of the rows. */
async function compareAll(plan: ConnectionPlan, ids: readonly number[]): Promise<void> {
  const sorted = ids.flatMap((one) => tracks.filter((row) => row.id === one));
  const pages = pagesOf(sorted.length);
  const found = pages.map((page) => {
    const size = page.page && { end: page.page.end, size: { kind: 'constant', value: page.page.size } as const };
    return connection({ ...plan, bound: boundOf(page, sorted, plan), page: size });
  });
  const results = await Promise.all(found);
  const wanted = pages.map((page) => ({ ...page, result: expected(page, sorted, plan) }));
  expect(pages.map((page, index) => ({ ...page, result: results[index] }))).toEqual(wanted);
}

test.each(orders)('each page by %s has its rows and knows what is around it', async (_what, order, ids) => {
  await compareAll(planOf(order, {}), ids);
});

describe('with distinct rows', () => {
  const order = [name, id];
  const distinct = rows(track, [], { orderBy: order, distinctOn: [column(track, 'name')] });

  test('each page has its rows and knows what is around it', async () => {
    await compareAll(planOf(order, { rows: distinct }), [1, 2, 3, 5]);
  });

  const bound = { side: 'after', at: { values: ['a', '1'] } } as const;
  const only = (kind: (typeof info)[number]): ConnectionPart => ({
    kind: 'pageInfo',
    alias: 'pageInfo',
    members: [{ kind, alias: kind }],
  });

  test.each<readonly [string, Partial<ConnectionPlan>, number]>([
    ['of edges', { parts: [edgesPart], bound }, 1],
    ['of cursors', { parts: [only('startCursor'), only('endCursor')], bound }, 1],
    ['with what precedes it', { parts: [edgesPart, only('hasPreviousPage')], bound }, 2],
    ['with what follows it', { parts: [only('hasNextPage')], bound }, 2],
    ['with what precedes it, without a bound', { parts: [only('hasPreviousPage')] }, 1],
  ])('a page %s is of %j', (_what, more, names) => {
    // The rows are named, and read once, where what is around the page is read as well.
    const { text } = compile(printed(planOf(order, { rows: distinct, ...more })));
    expect([text.split('"public"."track"').length - 1, text.split(' as (').length - 1]).toEqual([1, names]);
  });
});

describe('the rows of a page', () => {
  const sized = (value: number) => ({ end: 'first', size: { kind: 'constant', value } }) as const;
  const ids = async (plan: ConnectionPlan, settings?: PrintSettings) =>
    ((await connection(plan, settings)) as { edges: { node: { id: number } }[] }).edges.map(({ node }) => node.id);

  test.each([
    ['as many as requested', sized(2), undefined, [1, 2]],
    ['as many as the role may list', sized(3), 1, [1]],
    ['as many as requested, if the role may list more', sized(1), 3, [1]],
    ['as many as the role may list, without a size', undefined, 2, [1, 2]],
  ])('are %s', async (_what, page, rowLimit, found) => {
    const plan = planOf([id], { rows: rows(track, [], { orderBy: [id], rowLimit }), page, parts: [edgesPart] });
    expect(await ids(plan)).toEqual(found);
  });

  test.each([
    ['a size within the limit', sized(2), 2, [1, 2]],
    ['fewer rows than the limit', undefined, 5, [1, 2, 3, 4, 5]],
  ])('may be as many as the limit: %s', async (_what, page, maxRows, found) => {
    const plan = planOf([id], { page, parts: [edgesPart] });
    expect(await ids(plan, { stringifyNumerics: false, maxRows })).toEqual(found);
  });

  test('are an error above the limit', async () => {
    const plan = planOf([id], { page: sized(4), parts: [edgesPart] });
    await expect(ids(plan, { stringifyNumerics: false, maxRows: 3 })).rejects.toThrow();
  });

  test('do not count where only its cursors are read', async () => {
    const plan = planOf([id], { parts: [infoPart] });
    expect(await connection(plan, { stringifyNumerics: false, maxRows: 1 })).toMatchObject({
      pageInfo: { hasNextPage: false },
    });
  });
});
