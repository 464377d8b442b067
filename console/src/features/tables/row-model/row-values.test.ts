import { expect, test } from 'vitest';
import { parseExactly } from '../../../api/exact-json.ts';
import { sampleColumn } from '../../../shared/sources/sample-column.ts';
import { columnOfProblem, draftsOf, isPlain, newDrafts, parseValue, shortText, writtenRow } from './row-values.ts';

test.each([
  ['int4', '0012', { value: 12 }],
  ['int4', '1.5', { problem: 'Must be a whole number.' }],
  ['numeric', '12.50', { value: parseExactly('12.50') }],
  ['float8', 'NaN', { value: 'NaN' }],
  ['float8', 'twelve', { problem: 'Must be a number, such as 12.5.' }],
  ['bool', 'true', { value: true }],
  ['jsonb', '{"a": [1]}', { value: { a: [1] } }],
  ['jsonb', '{"a": ', { problem: expect.stringContaining('No JSON') }],
  ['hstore', '{"a": "1"}', { value: { a: '1' } }],
  ['text[]', '["a"]', { value: ['a'] }],
  ['text[]', 'a', { problem: expect.stringContaining('list') }],
  ['text', '', { value: '' }],
  ['date', ' ', { problem: 'Must not be empty.' }],
  ['money', '$5', { value: '$5' }],
])('parses input of type %s: %j as %j', (type, text, expected) => {
  expect(parseValue(text, sampleColumn('a', type))).toEqual(expected);
});

const columns = [
  sampleColumn('id', 'int4', { nullable: false, has_default: true }),
  sampleColumn('name', 'text', { nullable: false }),
  sampleColumn('note', 'text'),
  sampleColumn('tags', 'jsonb'),
];

test('a new row omits columns that the database fills', () => {
  const drafts = newDrafts(columns);
  expect(Object.values(drafts).map(({ mode }) => mode)).toEqual(['default', 'value', 'null', 'null']);
  expect(writtenRow({ ...drafts, name: { mode: 'value', text: 'Ada' } }, columns, undefined)).toEqual({
    row: { name: 'Ada', note: null, tags: null },
  });
});

test('writes only changed columns of an edited row, and distinguishes null from empty text', () => {
  const before = draftsOf({ id: 1, name: 'Ada', note: null, tags: { a: 1 } }, columns);
  expect(writtenRow(before, columns, before)).toEqual({ row: {} });
  const after = { ...before, note: { mode: 'value' as const, text: '' }, name: { mode: 'null' as const, text: 'Ada' } };
  expect(writtenRow(after, columns, before)).toEqual({ row: { note: '', name: null } });
});

test('reports invalid text by column and writes nothing', () => {
  const drafts = { id: { mode: 'value' as const, text: 'x' }, tags: { mode: 'value' as const, text: '{' } };
  expect(writtenRow(drafts, columns, undefined)).toEqual({
    problems: { id: 'Must be a whole number.', tags: expect.stringContaining('No JSON') },
  });
});

test('assigns a database error to the column that it names', () => {
  const message = 'Not-NULL violation. null value in column "name" of relation "x" violates not-null constraint';
  expect(columnOfProblem(message, columns)).toBe('name');
  expect(columnOfProblem('duplicate key', columns)).toBeUndefined();
});

test('prints values on one line', () => {
  expect([null, 'a b', 12, { a: [1] }, false].map(shortText)).toEqual(['null', 'a b', '12', '{"a":[1]}', 'false']);
});

test('lists and objects are not plain values', () => {
  expect([null, 'a', 1, [1], { a: 1 }].map(isPlain)).toEqual([true, true, true, false, false]);
});
