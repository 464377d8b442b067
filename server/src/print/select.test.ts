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
import type { RootPlan } from '../plan/plan/operation.ts';
import type { FieldPlan, RowsPlan } from '../plan/plan/query.ts';
import { compile } from '../postgres/sql/sql.ts';
import { type DatabaseRoot, printRoots } from './roots.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({ sql: tables });
});
afterAll(() => db.drop());

const settings = { stringifyNumerics: false };

function list(plan: RowsPlan, alias = 'list'): DatabaseRoot {
  return { kind: 'rows', alias, rows: plan, shape: 'list' };
}

async function resultOf(plan: RowsPlan, bindings = {}, printed = settings): Promise<unknown> {
  return (await run(db.database, printRoots([list(plan)], printed), bindings))[0]?.[0];
}

function object(name: string, from: Parameters<typeof relationship>[0], fields: FieldPlan[]): FieldPlan {
  const to = relationship(from, name);
  return { kind: 'object', alias: name, relationship: to, rows: rows(to.target, fields, { orderBy: [] }) };
}

function array(name: string, from: Parameters<typeof relationship>[0], fields: FieldPlan[], rest = {}): FieldPlan {
  const to = relationship(from, name);
  return { kind: 'array', alias: name, relationship: to, rows: rows(to.target, fields, rest) };
}

test('an object without a match is null, at any depth, and a list without rows is empty', async () => {
  const mentor = object('mentor', artist, [
    ...columns(artist, 'name'),
    object('mentor', artist, [...columns(artist, 'name'), array('albums', artist, columns(album, 'id'))]),
  ]);
  expect(await resultOf(rows(artist, [...columns(artist, 'id'), mentor]))).toEqual([
    { id: 1, mentor: null },
    { id: 2, mentor: { name: 'Ann', mentor: null } },
    { id: 3, mentor: { name: 'Bo', mentor: { name: 'Ann', albums: [{ id: 1 }, { id: 2 }] } } },
  ]);
  expect(await resultOf(rows(artist, columns(artist, 'id'), { where: compare(artist, 'id', '_eq', 99) }))).toEqual([]);
});

test('an object relationship with several matching rows returns the first by primary key', async () => {
  const plan = rows(artist, [...columns(artist, 'name'), object('some_album', artist, columns(album, 'title'))]);
  expect(await resultOf(plan)).toEqual([
    { name: 'Ann', some_album: { title: 'First' } },
    { name: 'Bo', some_album: { title: 'Second' } },
    { name: null, some_album: null },
  ]);
});

test('every type of value is valid JSON with all its digits', async () => {
  const plan = rows(album, columns(album, ...album.columns.keys()));
  const statement = compile(printRoots([list(plan)], settings));
  const [[text]] = (await db.database.query({ text: statement.text, values: statement.slots })).rows as [[string]];
  const parsed = JSON.parse(text) as Record<string, unknown>[];
  expect(text).toContain('"price":12345678901234567890.10,"copies":9007199254740993,"score":0.1');
  expect(parsed[0]).toMatchObject({ tags: ['x', 'y'], prices: [1.5, 2], raw: '\\x01ff', meta: { a: { b: [1, 2] } } });
  expect(parsed[0]?.released).toMatch(/^2024-01-01T\d\d:00:00[+-]\d\d:\d\d$/);
  expect(parsed[1]).toMatchObject({ score: 'NaN', released: 'infinity', tags: [], prices: null });
  expect(parsed[2]).toMatchObject({ score: '-Infinity', meta: null, copies: null });
  expect(parsed[3]).toMatchObject({ prices: [[1], [2]], meta: 'text' });
});

test('with stringified numerics bigint, numeric and double precision are strings, in arrays as well', async () => {
  const plan = rows(album, columns(album, 'id', 'price', 'copies', 'score', 'prices'), { limit: constant(1) });
  expect(await resultOf(plan, {}, { stringifyNumerics: true })).toEqual([
    { id: 1, price: '12345678901234567890.10', copies: '9007199254740993', score: '0.1', prices: ['1.50', '2'] },
  ]);
});

function constant(value: number) {
  return { kind: 'constant', value } as const;
}

test('limit and offset apply before members are built, and the page preserves its order', async () => {
  const fields = [
    ...columns(album, 'title'),
    object('artist', album, columns(artist, 'name')),
    array('tracks', album, columns(track, 'name'), { orderBy: [by(track, 'id', 'desc')], limit: constant(1) }),
  ];
  const orderBy = [by(album, 'title', 'desc')];
  expect(await resultOf(rows(album, fields, { orderBy, limit: constant(2), offset: constant(1) }))).toEqual([
    { title: 'Second', artist: { name: 'Ann' }, tracks: [{ name: 'c' }] },
    { title: 'Fourth', artist: null, tracks: [] },
  ]);
});

test('a limit of null is no limit, and the smaller limit of request and role applies', async () => {
  const plan = rows(album, columns(album, 'id'), { limit: { kind: 'variable', name: 'most' }, rowLimit: 3 });
  expect(await resultOf(plan, { variables: { most: null } })).toHaveLength(3);
  expect(await resultOf(plan, { variables: {} })).toHaveLength(3);
  expect(await resultOf(plan, { variables: { most: 2 } })).toHaveLength(2);
  expect(await resultOf(plan, { variables: { most: 4 } })).toHaveLength(3);
  expect(await resultOf({ ...plan, rowLimit: undefined }, { variables: { most: null } })).toHaveLength(4);
  expect(await resultOf({ ...plan, limit: constant(10) })).toHaveLength(3);
});

test('distinct_on returns the first row of each group in the order of the list', async () => {
  const plan = rows(track, [...columns(track, 'name', 'seconds'), object('album', track, columns(album, 'title'))], {
    distinctOn: [column(track, 'name')],
    orderBy: [by(track, 'name', 'desc'), by(track, 'seconds', 'desc')],
  });
  expect(await resultOf(plan)).toEqual([
    { name: 'd', seconds: 10, album: null },
    { name: 'c', seconds: 50, album: { title: 'Second' } },
    { name: 'b', seconds: null, album: { title: 'First' } },
    { name: 'a', seconds: 100, album: { title: 'First' } },
  ]);
});

test('rows are sorted by columns and aggregates of relationships, with nulls first or last', async () => {
  const through = (nulls: 'first' | 'last', direction: 'asc' | 'desc' = 'asc') =>
    ({
      by: {
        kind: 'related',
        relationship: relationship(album, 'artist'),
        filter: compare(artist, 'id', '_lt', 100),
        key: { kind: 'column', column: column(artist, 'name') },
      },
      direction,
      nulls,
    }) as const;
  const titles = async (plan: RowsPlan) => ((await resultOf(plan)) as { title: string }[]).map(({ title }) => title);
  const ordered = (orderBy: RowsPlan['orderBy'], rest = {}) =>
    titles(rows(album, columns(album, 'title'), { orderBy, ...rest }));
  expect(await ordered([through('last'), by(album, 'id', 'desc')])).toEqual(['Second', 'First', 'Third', 'Fourth']);
  expect(await ordered([through('first', 'desc'), by(album, 'id')])).toEqual(['Fourth', 'Third', 'First', 'Second']);
  const total = (name: 'count' | 'max') =>
    ({
      by: {
        kind: 'aggregate',
        relationship: relationship(album, 'tracks'),
        filter: compare(track, 'name', '_neq', 'c'),
        function: name,
        column: name === 'count' ? undefined : column(track, 'seconds'),
      },
      direction: 'desc',
      nulls: 'last',
    }) as const;
  expect(await ordered([total('count'), by(album, 'id')])).toEqual(['First', 'Second', 'Third', 'Fourth']);
  expect(await ordered([total('max'), by(album, 'title')])).toEqual(['First', 'Fourth', 'Second', 'Third']);
  const page = { limit: constant(2), offset: constant(1) };
  const fields = [...columns(album, 'title'), object('artist', album, columns(artist, 'name'))];
  expect(await titles(rows(album, fields, { orderBy: [through('last'), total('count')], ...page }))).toEqual([
    'Second',
    'Third',
  ]);
});

test('supports a response key of more than 63 bytes, and more than 50 and more than 1,600 members', async () => {
  const long = 'k'.repeat(100);
  const title: FieldPlan = { kind: 'column', alias: long, column: column(album, 'title'), path: undefined };
  const fields = [
    title,
    object('artist', album, [{ kind: 'column', alias: `${long}2`, column: column(artist, 'name'), path: undefined }]),
  ];
  expect(await resultOf(rows(album, fields, { where: compare(album, 'id', '_in', [1, 4]) }))).toEqual([
    { [long]: 'First', artist: { [`${long}2`]: 'Ann' } },
    { [long]: 'Fourth', artist: null },
  ]);
  for (const [count, first] of [
    [120, long],
    [2000, 'f'],
  ] as const) {
    const many = Array.from(
      { length: count },
      (_, n): FieldPlan => ({ kind: 'column', alias: `a${n}`, column: column(album, 'meta'), path: undefined }),
    );
    const [row] = (await resultOf(
      rows(album, [{ ...title, alias: first }, ...many], { limit: constant(1) }),
    )) as Record<string, unknown>[];
    expect(Object.keys(row ?? {})).toHaveLength(count + 1);
    expect(row).toMatchObject({ [first]: 'First', [`a${count - 1}`]: { a: { b: [1, 2] } } });
  }
});

test('a path selects a part of a json column, as a constant or as a variable', async () => {
  const at = (path: readonly string[] | { variable: string }): FieldPlan => ({
    kind: 'column',
    alias: 'part',
    column: column(album, 'meta'),
    path,
  });
  const first = { where: compare(album, 'id', '_eq', 1) };
  expect(await resultOf(rows(album, [at(['a', 'b', '1'])], first))).toEqual([{ part: 2 }]);
  const variable = rows(album, [at({ variable: 'p' })], first);
  expect(await resultOf(variable, { variables: { p: '$.a.b[0]' } })).toEqual([{ part: 1 }]);
  expect(await resultOf(variable, { variables: { p: null } })).toEqual([{ part: { a: { b: [1, 2] } } }]);
});

test('joins are null placeholders, and phantoms and constants are members', async () => {
  const fields: FieldPlan[] = [
    { kind: 'constant', alias: '__typename', value: "album's" },
    { kind: 'join', alias: 'shop', join: { keys: [], target: undefined as never } },
    { kind: 'phantom', alias: ':id', column: column(album, 'id') },
  ];
  const [row] = (await resultOf(rows(album, fields, { limit: constant(1) }))) as Record<string, unknown>[];
  expect(Object.entries(row ?? {})).toEqual([
    ['__typename', "album's"],
    ['shop', null],
    [':id', 1],
  ]);
});

test('all roots are columns of one statement, and a missing single row is null', async () => {
  const single = (id: number): RootPlan => ({
    kind: 'rows',
    alias: `a${id}`,
    rows: rows(album, columns(album, 'id'), { where: compare(album, 'id', '_eq', id), orderBy: [] }),
    shape: 'single',
  });
  const roots = [single(1), list(rows(track, columns(track, 'id'))), single(99)] as DatabaseRoot[];
  expect(await run(db.database, printRoots(roots, settings))).toEqual([
    [{ id: 1 }, [1, 2, 3, 4, 5].map((id) => ({ id })), null],
  ]);
});
