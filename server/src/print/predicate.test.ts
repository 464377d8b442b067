import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database/test-database.ts';
import {
  album,
  artist,
  column,
  columns,
  compare,
  operatorOf,
  relationship,
  rows,
  run,
  tables,
  track,
} from '../../test/support/model/print-model.ts';
import { integerType, textType } from '../model/predicate/column-types.ts';
import type { Operand, Predicate, Table } from '../model/types/table.ts';
import { compile } from '../postgres/sql/sql.ts';
import { printRoots } from './roots.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({ sql: tables });
});
afterAll(() => db.drop());

const settings = { stringifyNumerics: false };

function printed(of: Table, where: Predicate) {
  return printRoots(
    [{ kind: 'rows', alias: 'a', rows: rows(of, columns(of, 'id'), { where }), shape: 'list' }],
    settings,
  );
}

/** Returns the ids of the rows that match the predicate. */
async function ids(of: Table, where: Predicate, bindings = {}): Promise<number[]> {
  const [[found]] = (await run(db.database, printed(of, where), bindings)) as [[{ id: number }[]]];
  return found.map(({ id }) => id);
}

test('an empty conjunction is true for every row, an empty disjunction for none', async () => {
  expect(await ids(artist, { kind: 'and', of: [] })).toEqual([1, 2, 3]);
  expect(await ids(artist, { kind: 'or', of: [] })).toEqual([]);
  expect(await ids(artist, { kind: 'not', of: { kind: 'and', of: [] } })).toEqual([]);
});

test('and, or and not have the precedence of their nesting', async () => {
  const [one, two] = [compare(artist, 'id', '_eq', 1), compare(artist, 'id', '_eq', 2)];
  const named = compare(artist, 'name', '_is_null', false);
  expect(
    await ids(artist, {
      kind: 'and',
      of: [
        { kind: 'or', of: [one, two] },
        { kind: 'not', of: one },
      ],
    }),
  ).toEqual([2]);
  expect(
    await ids(artist, {
      kind: 'or',
      of: [
        { kind: 'and', of: [one, two] },
        { kind: 'not', of: named },
      ],
    }),
  ).toEqual([3]);
  expect(await ids(artist, { kind: 'not', of: { kind: 'or', of: [one, two] } })).toEqual([3]);
});

test('values from the request are parameters, never SQL text', async () => {
  const injection = `x' or '1'='1`;
  const { text, slots } = compile(printed(artist, compare(artist, 'name', '_eq', injection)));
  expect(text).not.toContain("'1'");
  expect(slots).toEqual([{ kind: 'value', value: injection }]);
  expect(await ids(artist, compare(artist, 'name', '_eq', injection))).toEqual([]);
});

test('variables and session variables are cast to the type of the column', async () => {
  const where: Predicate = {
    kind: 'and',
    of: [
      compare(artist, 'id', '_in', { kind: 'variable', name: 'ids' }),
      compare(artist, 'id', '_lt', { kind: 'session', name: 'x-service-below' }),
    ],
  };
  const bindings = (below: string) => ({
    variables: { ids: [1, 2, 3] },
    session: new Map([['x-service-below', below]]),
  });
  expect(await ids(artist, where, bindings('3'))).toEqual([1, 2]);
  expect(compile(printed(artist, where)).slots.map(({ kind }) => kind)).toEqual(['variable', 'session']);
});

test('a list in a session variable is Postgres array text or JSON', async () => {
  const where = compare(artist, 'name', '_in', { kind: 'session', name: 'x-service-names' });
  for (const [text, found] of [
    ['{Ann,"Bo"}', [1, 2]],
    ['["Bo"]', [2]],
    ['{}', []],
    ['[]', []],
  ] as const) {
    expect(await ids(artist, where, { session: new Map([['x-service-names', text]]) })).toEqual(found);
  }
});

test('a condition on a relationship is true if some related row matches', async () => {
  const tracks = relationship(album, 'tracks');
  const long: Predicate = { kind: 'related', relationship: tracks, where: compare(track, 'seconds', '_gt', 99) };
  expect(await ids(album, long)).toEqual([1]);
  expect(await ids(album, { kind: 'not', of: long })).toEqual([2, 3, 4]);
  const byAnn: Predicate = {
    kind: 'related',
    relationship: relationship(track, 'album'),
    where: {
      kind: 'related',
      relationship: relationship(album, 'artist'),
      where: compare(artist, 'name', '_eq', 'Ann'),
    },
  };
  expect(await ids(track, byAnn)).toEqual([1, 2, 3, 4]);
});

test('the right side can be another column of the row, of a relationship, or of the row of the rule', async () => {
  const operand = (of: 'row' | 'root', path: string[], from: Table, name: string): Operand => {
    let at = from;
    const hops = path.map((hop) => {
      const found = relationship(at, hop);
      at = found.target;
      return found;
    });
    return { kind: 'column', of, path: hops, column: column(at, name) };
  };
  expect(await ids(album, compare(album, 'id', '_eq', operand('row', [], album, 'artist_id')))).toEqual([1]);
  expect(await ids(album, compare(album, 'seller', '_eq', operand('row', ['artist'], album, 'name')))).toEqual([1, 3]);
  expect(await ids(album, compare(album, 'id', '_gt', operand('row', ['artist', 'mentor'], album, 'id')))).toEqual([3]);
  const behind: Predicate = {
    kind: 'related',
    relationship: relationship(album, 'artist'),
    where: compare(artist, 'name', '_eq', operand('root', [], album, 'seller')),
  };
  expect(await ids(album, behind)).toEqual([1, 3]);
});

test('a row rule within another condition has its own root', async () => {
  const rule: Predicate = {
    kind: 'rule',
    of: {
      kind: 'exists',
      table: artist,
      where: compare(artist, 'name', '_eq', { kind: 'column', of: 'root', path: [], column: column(album, 'seller') }),
    },
  };
  expect(await ids(album, rule)).toEqual([1, 2, 3]);
  expect(await ids(track, { kind: 'related', relationship: relationship(track, 'album'), where: rule })).toEqual([
    1, 2, 3, 4,
  ]);
});

test('exists tests any table, independent of the row', async () => {
  const exists = (name: string): Predicate => ({
    kind: 'exists',
    table: artist,
    where: compare(artist, 'name', '_eq', name),
  });
  expect(await ids(track, exists('Bo'))).toHaveLength(5);
  expect(await ids(track, exists('Cy'))).toEqual([]);
});

test('compares aggregates of related rows, and a null aggregate matches no comparison', async () => {
  const aggregated = (
    aggregate: Extract<Predicate, { kind: 'aggregated' }>['aggregate'],
    names: string[],
    tests: [string, unknown][],
    rest = {},
  ): Predicate => ({
    kind: 'aggregated',
    relationship: relationship(album, 'tracks'),
    aggregate,
    arguments: names.map((name) => column(track, name)),
    distinct: false,
    filter: { kind: 'and', of: [] },
    tests: tests.map(([name, value]) => ({
      operator: operatorOf(name, integerType),
      right: { kind: 'constant', value },
    })),
    resultType: integerType,
    ...rest,
  });
  expect(await ids(album, aggregated('count', [], [['_gt', 0]]))).toEqual([1, 2]);
  expect(await ids(album, aggregated('count', [], [['_eq', 0]]))).toEqual([3, 4]);
  expect(
    await ids(
      album,
      aggregated(
        'count',
        [],
        [
          ['_gt', 0],
          ['_lt', 2],
        ],
      ),
    ),
  ).toEqual([2]);
  expect(await ids(album, aggregated('count', [], []))).toEqual([1, 2, 3, 4]);
  expect(await ids(album, aggregated('count', ['name'], [['_eq', 2]], { distinct: true }))).toEqual([1]);
  expect(await ids(album, aggregated('count', ['name', 'seconds'], [['_eq', 3]], { distinct: true }))).toEqual([1]);
  expect(await ids(album, aggregated('max', ['seconds'], [['_lt', 100]]))).toEqual([2]);
  expect(await ids(album, { kind: 'not', of: aggregated('max', ['seconds'], [['_lt', 100]]) })).toEqual([1, 3, 4]);
  const filter = compare(track, 'seconds', '_gt', 99);
  expect(await ids(album, aggregated('count', [], [['_eq', 2]], { filter }))).toEqual([1]);
});

test('casts the left side, and each item of lists and members', async () => {
  const meta = column(album, 'meta');
  const asText: Predicate = {
    kind: 'compare',
    left: { column: meta, cast: textType },
    operator: operatorOf('_like', textType),
    right: { kind: 'constant', value: '%"b"%' },
  };
  expect(await ids(album, asText)).toEqual([1]);
  const list: Operand = {
    kind: 'list',
    items: [
      { kind: 'constant', value: 1 },
      { kind: 'variable', name: 'other' },
    ],
    element: integerType,
  };
  expect(await ids(album, compare(album, 'id', '_in', list), { variables: { other: 4 } })).toEqual([1, 4]);
});

test('a variable that is used twice under one type is one parameter', async () => {
  const given = { kind: 'variable', name: 'ids' } as const;
  const where: Predicate = {
    kind: 'and',
    of: [compare(artist, 'id', '_in', given), { kind: 'not', of: compare(artist, 'id', '_nin', given) }],
  };
  expect(compile(printed(artist, where)).slots).toHaveLength(1);
  expect(await ids(artist, where, { variables: { ids: [1, 3] } })).toEqual([1, 3]);
});
