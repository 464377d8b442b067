import { expect, test } from 'vitest';
import { sampleColumn } from '../../shared/sources/sample-column.ts';
import { describeColumn, kindOf, rowsOf } from './table-text.ts';

const column = sampleColumn('id', 'int4', { sql_type: 'integer' });

test('describes a column by its type and default', () => {
  expect(describeColumn(column)).toBe('integer');
  expect(describeColumn({ ...column, nullable: false, has_default: true, default: '7' })).toBe(
    'integer, not null, default 7',
  );
  expect(describeColumn({ ...column, has_default: true })).toBe('integer, default');
  expect(describeColumn({ ...column, identity: 'by default' })).toBe('integer, identity, by default');
  expect(describeColumn({ ...column, generated: true, default: 'net * 2' })).toBe('integer, generated: net * 2');
});

test('describes a table by its kind and estimated rows', () => {
  expect(kindOf({ kind: 'materialized_view', enum: false })).toBe('Materialized view');
  expect(kindOf({ kind: 'table', enum: true })).toBe('Table of enum values');
  expect(rowsOf({ estimated_rows: 1_040 })).toBe('about 1,040 rows');
  expect(rowsOf({ estimated_rows: null })).toBe('');
});
