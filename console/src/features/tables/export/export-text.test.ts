import { expect, test } from 'vitest';
import { sampleColumn } from '../../../shared/sources/sample-column.ts';
import { type ExportFormat, fileOf, textWriter } from './export-text.ts';

const info = { table: { schema: 'public', name: 'a b' } };
const columns = [sampleColumn('id', 'numeric'), sampleColumn('name', 'text')];
const pages = [[{ name: null, id: 1.5, hidden: 1 }], [{ id: 2, name: '' }], []];

function exported(format: ExportFormat, given = pages): string {
  const writer = textWriter(format, columns, info);
  return writer.begin + given.map(writer.rows).join('') + writer.end();
}

test('CSV has one header, and distinguishes null from the empty text', () => {
  expect(exported('CSV')).toBe('id,name\n1.5,\n2,""\n');
});

test('JSON of several pages is one array', () => {
  expect(exported('JSON')).toBe('[\n  {"id":1.5,"name":null},\n  {"id":2,"name":""}\n]\n');
  expect(JSON.parse(exported('JSON', [[]]))).toEqual([]);
});

test('JSON lines have a row on each line', () => {
  expect(exported('JSON lines')).toBe('{"id":1.5,"name":null}\n{"id":2,"name":""}\n');
});

test('SQL has statements of at most 500 rows', () => {
  const text = exported('SQL inserts', [Array.from({ length: 501 }, (_, id) => ({ id, name: 'x' }))]);
  expect(text.match(/insert into "public"."a b"/g)).toHaveLength(2);
});

test('the name of the file has no characters that file systems reject', () => {
  expect(fileOf('CSV', info).name).toBe('public.a_b.csv');
});
