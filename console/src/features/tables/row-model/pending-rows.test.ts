import { expect, test } from 'vitest';
import { sampleColumn } from '../../../shared/sources/sample-column.ts';
import {
  countChanges,
  noChanges,
  withDrafts,
  withNewRow,
  withoutDraft,
  withoutRow,
  writtenRows,
} from './pending-rows.ts';

const columns = [
  sampleColumn('id', 'int4', { nullable: false, has_default: true }),
  sampleColumn('name', 'text', { nullable: false }),
  sampleColumn('age', 'int4'),
];
const row = { id: 1, name: 'Ada', age: 36 };
const value = (text: string) => ({ mode: 'value', text }) as const;
const changed = withDrafts(noChanges, { key: '[1]', row }, columns, { name: value('Grace') });

test('a changed cell is written with the row before the change', () => {
  expect(writtenRows(changed, columns)).toEqual({
    writes: [{ key: '[1]', row, values: { name: 'Grace' }, defaults: [] }],
    problems: new Map(),
  });
});

test('the row before its first change is kept when the row is read again', () => {
  const later = withDrafts(changed, { key: '[1]', row: { ...row, name: 'Anna' } }, columns, { age: value('40') });
  expect(writtenRows(later, columns).writes[0]).toEqual({
    key: '[1]',
    row,
    values: { name: 'Grace', age: 40 },
    defaults: [],
  });
});

test('a cell that has its old value again is no change', () => {
  expect(withDrafts(changed, { key: '[1]', row }, columns, { name: value('Ada') }).size).toBe(0);
  expect(withoutDraft(changed, '[1]', 'name', columns).size).toBe(0);
});

test('null, the empty text and the default are different changes', () => {
  const drafts = { name: value(''), age: { mode: 'null', text: '' }, id: { mode: 'default', text: '' } } as const;
  expect(writtenRows(withDrafts(noChanges, { key: '[1]', row }, columns, drafts), columns).writes[0]).toEqual({
    key: '[1]',
    row,
    values: { name: '', age: null },
    defaults: ['id'],
  });
});

test('a value that does not fit its type is a problem of its cell', () => {
  const wrong = withDrafts(changed, { key: '[1]', row }, columns, { age: value('old') });
  expect(writtenRows(wrong, columns).problems.get('[1]')).toEqual({ age: 'Must be a whole number.' });
});

test('a duplicated row has the values of the row, without a key that the database fills', () => {
  const copied = withNewRow(noChanges, 'new 1', columns, row, ['id']);
  expect(writtenRows(copied, columns).writes).toEqual([
    { key: 'new 1', row: undefined, values: { name: 'Ada', age: 36 }, defaults: [] },
  ]);
});

test('a reverted cell of a new row has its initial draft, and the row stays', () => {
  const edited = withDrafts(withNewRow(noChanges, 'new 1', columns), { key: 'new 1', row: undefined }, columns, {
    name: value('x'),
  });
  expect(withoutDraft(edited, 'new 1', 'name', columns).get('new 1')?.drafts.name).toEqual(value(''));
  expect(withoutRow(edited, 'new 1').size).toBe(0);
});

test('changes are counted by cell, new rows by row', () => {
  expect(countChanges(withNewRow(changed, 'new 1', columns))).toBe(2);
});
