import { expect, test } from 'vitest';
import { sampleColumn } from '../../../shared/sources/sample-column.ts';
import { emptyField } from './file-records.ts';
import { importedValue } from './import-values.ts';

const csv = { empty: 'null', isText: true } as const;
const json = { empty: 'null', isText: false } as const;

test.each([
  ['int4', ' 12 ', 12],
  ['int4', '007', 7],
  ['bool', 'T', true],
  ['bool', '0', false],
  ['text', ' a ', ' a '],
  ['text', '', ''],
  ['jsonb', '{"a": 1}', { a: 1 }],
  ['text[]', '{a,NULL}', '{a,NULL}'],
  ['text[]', '["a"]', ['a']],
  ['timestamptz', '2026-01-01', '2026-01-01'],
])('reads a text for a column of type %s: %j', (type, text, value) => {
  expect(importedValue(text, sampleColumn('a', type), csv)).toEqual({ value });
});

test.each([
  ['int4', 'x', 'Must be a whole number.'],
  ['int2', '40000', 'Is out of the range of int2.'],
  ['int8', '9223372036854775808', 'Is out of the range of int8.'],
  ['bool', 'maybe', 'Must be true or false.'],
  ['uuid', 'abc', 'Must be a UUID.'],
  ['numeric', '1,5', 'Must be a number, such as 12.5.'],
])('rejects a text for a column of type %s: %j', (type, text, problem) => {
  expect(importedValue(text, sampleColumn('a', type), csv)).toEqual({ problem });
});

test('an empty field is null, the empty text or the default', () => {
  const [text, number] = [sampleColumn('a', 'text'), sampleColumn('a', 'int4')];
  expect(importedValue(emptyField, text, csv)).toEqual({ value: null });
  expect(importedValue(emptyField, text, { ...csv, empty: 'text' })).toEqual({ value: '' });
  expect(importedValue(emptyField, number, { ...csv, empty: 'text' })).toEqual({ value: null });
  expect(importedValue(emptyField, number, { ...csv, empty: 'default' })).toEqual({ value: undefined });
});

test('null and absent values of a column that is not nullable are rejected, unless the default is used', () => {
  const column = sampleColumn('a', 'int4', { nullable: false });
  expect(importedValue(null, column, json)).toEqual({ problem: 'Must not be null.' });
  expect(importedValue(undefined, column, json)).toEqual({
    problem: 'Has no value, and the column has no default.',
  });
  expect(importedValue(undefined, { ...column, has_default: true }, json)).toEqual({ value: undefined });
});

test('a value of JSON must fit the type of the column', () => {
  expect(importedValue('x', sampleColumn('a', 'jsonb'), json)).toEqual({ value: 'x' });
  expect(importedValue('12', sampleColumn('a', 'int4'), json)).toEqual({ value: 12 });
  expect(importedValue(12, sampleColumn('a', 'text'), json)).toEqual({ value: '12' });
  expect(importedValue(1.5, sampleColumn('a', 'int4'), json)).toEqual({ problem: 'Must be a whole number.' });
  expect(importedValue({ a: 1 }, sampleColumn('a', 'text'), json)).toEqual({
    problem: 'Must not be a list or an object.',
  });
  expect(importedValue(1, sampleColumn('a', 'bool'), json)).toEqual({ problem: 'Must be true or false.' });
});
