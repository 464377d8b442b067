import { expect, test } from 'vitest';
import { sampleColumn } from '../../../shared/sources/sample-column.ts';
import { importable, missingColumns, suggestedMapping, unusedNames } from './column-mapping.ts';

const columns = [sampleColumn('id', 'int4', { nullable: false }), sampleColumn('first_name', 'text')];

test('columns with equal names are mapped, and names that differ by case and separators only', () => {
  expect(suggestedMapping(columns, ['First Name', 'ID'])).toEqual({ id: 'ID', first_name: 'First Name' });
  expect(suggestedMapping(columns, ['firstName', 'first_name'])).toEqual({ first_name: 'first_name' });
});

test('columns without a value and a default are missing, and columns of the file without use are listed', () => {
  expect(missingColumns(columns, { first_name: 'n' })).toEqual(['id']);
  expect(missingColumns(columns, { id: 'n' })).toEqual([]);
  expect(unusedNames(['n', 'o'], { id: 'n' })).toEqual(['o']);
});

test('columns that only the database writes cannot be imported', () => {
  expect(importable([...columns, sampleColumn('total', 'int4', { writable: false })])).toEqual(columns);
});
