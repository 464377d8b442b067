import type { SourceName } from '@joinery/metadata/names';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database/test-database.ts';
import {
  album,
  artist,
  by,
  column,
  columns,
  compare,
  rows,
  run,
  tables,
  track,
} from '../../test/support/model/print-model.ts';
import type { RowsTarget } from '../plan/plan/query.ts';
import { sql } from '../postgres/sql/sql.ts';
import { joinedTexts, printJoin } from './roots.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({ sql: tables });
});
afterAll(() => db.drop());

const settings = { stringifyNumerics: false };

async function join(target: Omit<RowsTarget, 'kind' | 'source'>, ...keys: readonly string[][]): Promise<unknown[]> {
  const inputs = Object.fromEntries(target.match.map((_, index) => [`keys${index}`, keys.map((key) => key[index])]));
  const printed = printJoin({ kind: 'table', source: 'default' as SourceName, ...target }, settings);
  const [[joined]] = (await run(db.database, sql`select to_json((${printed}))`, { inputs })) as [[string]];
  return joinedTexts(joined).map((text) => (text === '' ? null : JSON.parse(text)));
}

test('an object is the matching row, the first by primary key of several, or null', async () => {
  const want = { shape: 'object', rows: rows(artist, columns(artist, 'name'), { orderBy: [] }) } as const;
  expect(await join({ match: [column(artist, 'id')], want }, ['2'], ['9'], ['1'])).toEqual([
    { name: 'Bo' },
    null,
    { name: 'Ann' },
  ]);
  const several = { shape: 'object', rows: rows(album, columns(album, 'id'), { orderBy: [] }) } as const;
  expect(await join({ match: [column(album, 'seller')], want: several }, ['Bo'], ['Cy'])).toEqual([{ id: 2 }, null]);
});

test('order, limit, offset, distinct and row limit of a list apply to each key', async () => {
  const match = [column(track, 'album_id')];
  const list = (rest: Parameters<typeof rows>[2]) =>
    ({ match, want: { shape: 'array', rows: rows(track, columns(track, 'id'), rest) } }) as const;
  const keys = [['2'], ['1'], ['3']];
  expect(await join(list({}), ...keys)).toEqual([[{ id: 3 }], [{ id: 1 }, { id: 2 }, { id: 4 }], []]);
  const limit = { kind: 'constant', value: 1 } as const;
  expect(await join(list({ orderBy: [by(track, 'id', 'desc')], limit }), ...keys)).toEqual([
    [{ id: 3 }],
    [{ id: 4 }],
    [],
  ]);
  expect(await join(list({ offset: limit, rowLimit: 1 }), ...keys)).toEqual([[], [{ id: 2 }], []]);
  const distinctOn = [column(track, 'name')];
  expect(await join(list({ distinctOn, orderBy: [by(track, 'name')] }), ['1'])).toHaveLength(1);
  expect(await join(list({ where: compare(track, 'seconds', '_gt', 99) }), ...keys)).toEqual([
    [],
    [{ id: 1 }, { id: 2 }],
    [],
  ]);
});

test('an aggregate of a key without rows is the aggregate of no rows', async () => {
  const members = [{ kind: 'count', alias: 'count', columns: [], distinct: false }] as const;
  const aggregate = { rows: rows(track, []), parts: [{ kind: 'aggregate', alias: 'aggregate', members }] } as const;
  const found = await join(
    { match: [column(track, 'album_id')], want: { shape: 'aggregate', aggregate } },
    ['1'],
    ['4'],
  );
  expect(found).toEqual([{ aggregate: { count: 3 } }, { aggregate: { count: 0 } }]);
});

test('several columns are one key', async () => {
  const match = [column(track, 'album_id'), column(track, 'name')];
  const want = { shape: 'array', rows: rows(track, columns(track, 'id')) } as const;
  expect(await join({ match, want }, ['1', 'b'], ['2', 'b'], ['2', 'c'])).toEqual([
    [{ id: 2 }, { id: 4 }],
    [],
    [{ id: 3 }],
  ]);
});

test('values may contain any character', async () => {
  const name = 'separator \u001e, "quotes" and \\';
  await db.database.query({ text: 'insert into artist (id, name) values (7, $1)', values: [name] });
  const want = { shape: 'object', rows: rows(artist, columns(artist, 'name'), { orderBy: [] }) } as const;
  expect(await join({ match: [column(artist, 'id')], want }, ['7'], ['9'], ['7'])).toEqual([{ name }, null, { name }]);
});
