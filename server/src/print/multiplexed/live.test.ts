import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database/test-database.ts';
import { album, by, column, columns, compare, rows, tables, track } from '../../../test/support/model/print-model.ts';
import type { Operand, Predicate } from '../../model/types/table.ts';
import { encodeParameter } from '../../postgres/sql/parameters.ts';
import { type LiveRoot, printLive } from './live.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({ sql: tables });
});
afterAll(() => db.drop());

const settings = { stringifyNumerics: false };
const variable = (name: string): Operand => ({ kind: 'variable', name });

/** A subscriber: the mark of its last result, and its variables. */
type Subscriber = readonly [known: string | null, variables: Readonly<Record<string, unknown>>];

async function poll(root: LiveRoot, ...subscribers: readonly Subscriber[]) {
  const { text, slots } = printLive(root, settings);
  const lists = slots.map((slot) =>
    subscribers.map(([, variables]) => {
      if (slot.kind === 'variable') return encodeParameter(slot.encode(variables[slot.name]));
      return slot.kind === 'value' ? encodeParameter(slot.value) : null;
    }),
  );
  const { rows } = await db.database.query({ text, values: [subscribers.map(([known]) => known), ...lists] });
  return rows.map(([position, result = null, mark = null]) => {
    return { position, result: result === null ? null : (JSON.parse(result) as unknown), mark };
  });
}

function list(where: Predicate, fields: readonly string[]): LiveRoot {
  return { kind: 'rows', alias: 'album', shape: 'list', rows: rows(album, columns(album, ...fields), { where }) };
}

test('each subscriber has its own values of any type, and the rows that match them', async () => {
  const lists = list(compare(album, 'tags', '_contains', variable('tags')), ['id']);
  expect(await poll(lists, [null, { tags: ['x'] }], [null, { tags: ['z'] }], [null, { tags: [] }])).toMatchObject([
    { position: '1', result: [{ id: 1 }] },
    { position: '2', result: [{ id: 4 }] },
    { position: '3', result: [{ id: 1 }, { id: 2 }, { id: 4 }] },
  ]);
  const json = list(compare(album, 'meta', '_contains', variable('meta')), ['title']);
  expect(await poll(json, [null, { meta: { a: {} } }], [null, { meta: 'text' }])).toMatchObject([
    { result: [{ title: 'First' }] },
    { result: [{ title: 'Fourth' }] },
  ]);
  const among = list(compare(album, 'price', '_in', variable('prices')), ['id']);
  expect(await poll(among, [null, { prices: [5, 7.5] }], [null, { prices: [] }])).toMatchObject([
    { result: [{ id: 2 }, { id: 4 }] },
    { result: [] },
  ]);
  const bytes = list(compare(album, 'raw', '_eq', variable('raw')), ['id']);
  expect(await poll(bytes, [null, { raw: '\\x01ff' }])).toMatchObject([{ result: [{ id: 1 }] }]);
});

test('returns only results whose mark is not known', async () => {
  const root = list(compare(album, 'title', '_like', variable('title')), ['id']);
  const [first] = await poll(root, [null, { title: 'F%' }]);
  const mark = first?.mark ?? '';
  expect(await poll(root, [mark, { title: 'F%' }], [mark, { title: 'S%' }])).toMatchObject([
    { position: '2', result: [{ id: 2 }] },
  ]);
});

test('a missing row is the JSON null with a mark', async () => {
  const where = compare(album, 'id', '_eq', variable('id'));
  const root: LiveRoot = {
    kind: 'rows',
    alias: 'album',
    shape: 'single',
    rows: rows(album, columns(album, 'id'), { where, orderBy: [] }),
  };
  const [none] = await poll(root, [null, { id: 9 }]);
  expect(none).toEqual({ position: '1', result: null, mark: expect.any(String) });
  expect(await poll(root, [none?.mark ?? '', { id: 9 }])).toEqual([]);
});

test('a batch of a stream contains the rows that tie with its last one, and its mark is the start of the next', async () => {
  const seconds = column(track, 'seconds');
  const stream: LiveRoot = {
    kind: 'stream',
    alias: 'track_stream',
    stream: {
      rows: rows(track, columns(track, 'id'), {
        orderBy: [by(track, 'seconds')],
        limit: { kind: 'variable', name: 'size' },
        withTies: true,
      }),
      column: seconds,
      direction: 'asc',
      initial: { kind: 'constant', value: 0 },
    },
  };
  await db.database.query({ text: 'insert into track values (6, null, null, 50)', values: [] });
  const batches = await poll(stream, ['0', { size: 2 }], ['10', { size: 1 }], ['250', { size: 5 }]);
  expect(batches).toEqual([
    { position: '1', result: expect.arrayContaining([{ id: 5 }, { id: 3 }, { id: 6 }]), mark: '50' },
    { position: '2', result: expect.arrayContaining([{ id: 3 }, { id: 6 }]), mark: '50' },
  ]);
});

test('the statement casts each value once for each subscriber', () => {
  const { text, slots } = printLive(list(compare(track, 'id', '_eq', variable('id')), ['id']), settings);
  expect(slots.map(({ kind }) => kind)).toEqual(['variable']);
  expect(text).toContain(
    `from (select b.position, "b"."known" as "known", "b"."v0"::int4 as "v0" from unnest((select $1::text[]), (select $2::text[])) with ordinality as b ("known", "v0", "position") offset 0) as "s"`,
  );
});
