import { describe, expect, test } from 'vitest';
import { csvOf, jsonOf } from './sql-files.ts';

const columns = [
  { name: 'id', type: 'bigint' },
  { name: 'a "b", c', type: 'text' },
  { name: 'data', type: 'jsonb' },
  { name: 'yes', type: 'boolean' },
];

describe('CSV of a result', () => {
  test('quotes commas, quotes and line breaks', () => {
    const rows = [['1', 'x, "y"\nz', '{"a": 1}', 't']];
    expect(csvOf({ columns, rows })).toBe('id,"a ""b"", c",data,yes\r\n1,"x, ""y""\nz","{""a"": 1}",t');
  });

  test('distinguishes null from the empty text', () => {
    expect(csvOf({ columns: columns.slice(0, 2), rows: [[null, '']] })).toBe('id,"a ""b"", c"\r\n,""');
  });
});

describe('JSON of a result', () => {
  test('preserves the digits of numbers, and has JSON columns as values', () => {
    const rows = [['9007199254740993', 'text', '{"a": 1.10}', 'f']];
    expect(jsonOf({ columns, rows })).toBe(
      '[\n  {"id": 9007199254740993, "a \\"b\\", c": "text", "data": {"a": 1.10}, "yes": false}\n]\n',
    );
  });

  test('has values that JSON has no form for as texts', () => {
    const doubles = { columns: [{ name: 'x', type: 'double precision' }], rows: [['NaN'], ['-Infinity'], [null]] };
    expect(JSON.parse(jsonOf(doubles))).toEqual([{ x: 'NaN' }, { x: '-Infinity' }, { x: null }]);
  });

  test('has arrays where names repeat', () => {
    const repeated = { columns: [columns[0], columns[0]].flatMap((one) => one ?? []), rows: [['1', '2']] };
    expect(JSON.parse(jsonOf(repeated))).toEqual([
      ['id', 'id'],
      [1, 2],
    ]);
  });
});
