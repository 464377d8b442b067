import { expect, test } from 'vitest';
import { artist, column } from '../../test/support/model/print-model.ts';
import type { Table } from '../model/types/table.ts';
import { compile } from '../postgres/sql/sql.ts';
import { oneOf } from './order.ts';

const [id, name, mentor] = ['id', 'name', 'mentor_id'].map((one) => column(artist, one));
if (id === undefined || name === undefined || mentor === undefined) throw new Error('the table has the columns');

const { primaryKey: _key, ...without } = artist;
const keyless: Table = { ...without, primaryKey: undefined };
const pair: Table = { ...artist, primaryKey: [id, mentor] };
const unique: Table = { ...keyless, uniqueKeys: [{ name: 'artist_name', columns: ['name'] }] };

test.each([
  ['by its key', artist, [id], false, ''],
  ['by its key and more', artist, [name, id], false, ''],
  ['by its key, alone', artist, [id], true, ' limit 1'],
  ['by a unique column', unique, [name], false, ''],
  ['by another column', artist, [name], false, ' order by "r"."id" limit 1'],
  ['by another column, alone', artist, [name], true, ' order by "r"."id" limit 1'],
  ['by one column of its key', pair, [id], false, ' order by "r"."id", "r"."mentor_id" limit 1'],
  ['by a column of a table without a key', keyless, [name], false, ' limit 1'],
  ['by no column of a table without a key', keyless, [], false, ' limit 1'],
])('one row %s is selected by %s', (_what, table, columns, alone, text) => {
  expect(compile(oneOf(table, columns, 'r', alone)).text).toBe(text);
});
