import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database/test-database.ts';
import {
  album,
  artist,
  by,
  column,
  columns,
  compare,
  relationship,
  rows,
  run,
  tables,
  track,
} from '../../test/support/model/print-model.ts';
import type { AggregateMember, AggregatePart, FieldPlan, RowsPlan } from '../plan/plan/query.ts';
import { printRoots } from './roots.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({ sql: tables });
});
afterAll(() => db.drop());

async function resultOf(plan: RowsPlan, parts: readonly AggregatePart[], bindings = {}, stringifyNumerics = false) {
  const root = { kind: 'aggregate', alias: 'a', aggregate: { rows: plan, parts } } as const;
  return (await run(db.database, printRoots([root], { stringifyNumerics }), bindings))[0]?.[0];
}

const constant = (value: number) => ({ kind: 'constant', value }) as const;

function count(
  alias = 'count',
  distinct: Extract<AggregateMember, { kind: 'count' }>['distinct'] = false,
  ...of: string[]
) {
  return { kind: 'count', alias, columns: of.map((name) => column(track, name)), distinct } as const;
}

function aggregate(...members: AggregateMember[]): AggregatePart {
  return { kind: 'aggregate', alias: 'aggregate', members };
}

function nodes(alias: string, ...fields: FieldPlan[]): AggregatePart {
  return { kind: 'nodes', alias, fields };
}

test('a function with __typename before its first column is an aggregate', async () => {
  const members = [
    { kind: 'constant', alias: '__typename', value: 'track_sum_fields' },
    { kind: 'column', alias: 'seconds', column: column(track, 'seconds') },
  ] as const;
  const part = aggregate({ kind: 'function', alias: 'sum', function: 'sum', members });
  expect(await resultOf(rows(track, []), [part])).toEqual({
    aggregate: { sum: { __typename: 'track_sum_fields', seconds: 410 } },
  });
});

test('aggregates count, sum and compare all rows that match the filter', async () => {
  const seconds = column(track, 'seconds');
  const part = aggregate(
    count(),
    count('named', false, 'seconds'),
    count('names', true, 'name'),
    count('pairs', true, 'name', 'album_id'),
    {
      kind: 'function',
      alias: 'totals',
      function: 'sum',
      members: [
        { kind: 'constant', alias: '__typename', value: 'track_sum_fields' },
        { kind: 'column', alias: 'seconds', column: seconds },
      ],
    },
    {
      kind: 'function',
      alias: 'max',
      function: 'max',
      members: [{ kind: 'column', alias: 'name', column: column(track, 'name') }],
    },
    { kind: 'constant', alias: '__typename', value: 'track_aggregate_fields' },
  );
  const plan = rows(track, [], { where: compare(track, 'id', '_gt', 1) });
  expect(await resultOf(plan, [part])).toEqual({
    aggregate: {
      count: 4,
      named: 3,
      names: 3,
      pairs: 3,
      totals: { __typename: 'track_sum_fields', seconds: 310 },
      max: { name: 'd' },
      __typename: 'track_aggregate_fields',
    },
  });
});

test('a count of distinct values can depend on a variable', async () => {
  const part = aggregate(count('count', { variable: 'd' }, 'name'));
  expect(await resultOf(rows(track, []), [part], { variables: { d: true } })).toEqual({ aggregate: { count: 4 } });
  expect(await resultOf(rows(track, []), [part], { variables: { d: false } })).toEqual({ aggregate: { count: 5 } });
  expect(await resultOf(rows(track, []), [part], { variables: {} })).toEqual({ aggregate: { count: 5 } });
});

test('limit, offset and distinct apply to aggregates and nodes', async () => {
  const parts = [
    aggregate(count()),
    nodes('nodes', ...columns(track, 'id')),
    nodes('names', ...columns(track, 'name')),
  ];
  const paged = rows(track, [], { orderBy: [by(track, 'id', 'desc')], limit: constant(2), offset: constant(1) });
  expect(await resultOf(paged, parts)).toEqual({
    aggregate: { count: 2 },
    nodes: [{ id: 4 }, { id: 3 }],
    names: [{ name: 'b' }, { name: 'c' }],
  });
  expect(await resultOf(paged, [aggregate(count())])).toEqual({ aggregate: { count: 2 } });
  const distinct = rows(track, [], {
    distinctOn: [column(track, 'name')],
    orderBy: [by(track, 'name'), by(track, 'id')],
  });
  expect(await resultOf(distinct, parts.slice(0, 2))).toEqual({
    aggregate: { count: 4 },
    nodes: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 5 }],
  });
});

test('the row limit of a role limits nodes and never an aggregate', async () => {
  const parts = [aggregate(count()), nodes('nodes', ...columns(track, 'id'))];
  const limited = rows(track, [], { rowLimit: 2 });
  expect(await resultOf(limited, parts)).toEqual({ aggregate: { count: 5 }, nodes: [{ id: 1 }, { id: 2 }] });
  const paged = { ...limited, limit: constant(3) };
  expect(await resultOf(paged, parts)).toEqual({ aggregate: { count: 3 }, nodes: [{ id: 1 }, { id: 2 }] });
  expect(await resultOf(paged, parts.slice(1))).toEqual({ nodes: [{ id: 1 }, { id: 2 }] });
});

test('nodes without members have one item for each row of the page', async () => {
  const rowsOfPage = rows(track, [], { limit: constant(2) });
  expect(await resultOf(rowsOfPage, [aggregate(count()), nodes('nodes')])).toEqual({
    aggregate: { count: 2 },
    nodes: [{}, {}],
  });
});

test('nodes have relationships, and relationships have aggregates', async () => {
  const tracks = relationship(album, 'tracks');
  const behind: FieldPlan = {
    kind: 'aggregate',
    alias: 'tracks_aggregate',
    relationship: tracks,
    aggregate: {
      rows: rows(track, [], { limit: constant(2) }),
      parts: [aggregate(count()), nodes('nodes', ...columns(track, 'name'))],
    },
  };
  const named: FieldPlan = {
    kind: 'object',
    alias: 'artist',
    relationship: relationship(album, 'artist'),
    rows: rows(artist, columns(artist, 'name'), { orderBy: [] }),
  };
  const paged = rows(album, [], { limit: constant(2), orderBy: [by(album, 'title', 'desc')] });
  expect(
    await resultOf(paged, [aggregate(count()), nodes('nodes', ...columns(album, 'title'), named, behind)]),
  ).toEqual({
    aggregate: { count: 2 },
    nodes: [
      { title: 'Third', artist: { name: 'Bo' }, tracks_aggregate: { aggregate: { count: 0 }, nodes: [] } },
      {
        title: 'Second',
        artist: { name: 'Ann' },
        tracks_aggregate: { aggregate: { count: 1 }, nodes: [{ name: 'c' }] },
      },
    ],
  });
});

test('aggregates of no rows are zero and null, and stringified if their column is', async () => {
  const sum = (name: string): AggregateMember => ({
    kind: 'function',
    alias: name,
    function: 'sum',
    members: [{ kind: 'column', alias: name, column: column(album, name) }],
  });
  const none = rows(album, [], { where: compare(album, 'id', '_lt', 0) });
  expect(
    await resultOf(none, [aggregate({ kind: 'count', alias: 'count', columns: [], distinct: false }, sum('price'))]),
  ).toEqual({
    aggregate: { count: 0, price: { price: null } },
  });
  const some = rows(album, [], { where: compare(album, 'id', '_lt', 3) });
  expect(await resultOf(some, [aggregate(sum('price'), sum('id'))], {}, true)).toEqual({
    aggregate: { price: { price: '12345678901234567895.10' }, id: { id: 3 } },
  });
});

test('reads only the nodes without an aggregating part', async () => {
  const parts: AggregatePart[] = [{ kind: 'constant', alias: '__typename', value: 'track_aggregate' }];
  expect(await resultOf(rows(track, []), parts)).toEqual({ __typename: 'track_aggregate' });
});
