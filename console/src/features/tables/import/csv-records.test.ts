import { expect, test } from 'vitest';
import { csvRecords, detectCsv } from './csv-records.ts';
import { type CsvFormat, emptyField, type FileRecord } from './file-records.ts';

const format: CsvFormat = { kind: 'csv', delimiter: ',', quote: '"', hasHeader: true };

async function* parts(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

async function read(texts: readonly string[], given: Partial<CsvFormat> = {}): Promise<readonly FileRecord[]> {
  const records: FileRecord[] = [];
  for await (const group of csvRecords(parts(...texts), { ...format, ...given })) records.push(...group);
  return records;
}

test('a quoted empty field is the empty text, and one without quotes is not', async () => {
  expect(await read(['a,b,c\n"",,x\n,"",""\n'])).toEqual([
    { line: 2, values: { a: '', b: emptyField, c: 'x' } },
    { line: 3, values: { a: emptyField, b: '', c: '' } },
  ]);
});

test('quotes and delimiters inside of quoted fields are preserved', async () => {
  expect(await read(['a,b\n"x,"",y","say ""hi"""\n'])).toEqual([{ line: 2, values: { a: 'x,",y', b: 'say "hi"' } }]);
});

test('lines are counted across line breaks in fields and blank lines', async () => {
  const records = await read(['a,b\r\n"one\r\ntwo",1\r\n\r\nx,2\r\n']);
  expect(records.map(({ line }) => line)).toEqual([2, 5]);
  expect(records[0]?.values).toEqual({ a: 'one\r\ntwo', b: '1' });
});

test('a file in parts has the same records as one part', async () => {
  const long = 'x'.repeat(700_000);
  const text = `a,b\n1,"${long}\n${long}"\n2,""\n3,z\n`;
  const records = await read([text.slice(0, 1_050_000), text.slice(1_050_000, 1_400_020), text.slice(1_400_020)]);
  expect(records.map(({ line }) => line)).toEqual([2, 4, 5]);
  expect(records[1]?.values).toEqual({ a: '2', b: '' });
});

test('a record with another number of fields has a problem', async () => {
  expect(await read(['a,b\n1\n1,2,3\n'])).toMatchObject([
    { problem: 'Has 1 fields instead of 2.' },
    { problem: 'Has 3 fields instead of 2.' },
  ]);
});

test('columns without or with equal names get names of their own', async () => {
  const [record] = await read(['a,a,\n1,2,3\n']);
  expect(record?.values).toEqual({ a: '1', 'a (2)': '2', 'Column 3': '3' });
  const [first] = await read(['1;2\n'], { hasHeader: false, delimiter: ';' });
  expect(first).toEqual({ line: 1, values: { 'Column 1': '1', 'Column 2': '2' } });
});

test.each([
  ['id;name\n1;a\n2;b\n', { delimiter: ';', hasHeader: true }],
  ['1\ta\n2\tb\n', { delimiter: '\t', hasHeader: false }],
  ['name\nAnn\nBea\n', { delimiter: ',', hasHeader: true }],
])('detects the format of %j', (text, expected) => {
  expect(detectCsv(text)).toMatchObject(expected);
});
