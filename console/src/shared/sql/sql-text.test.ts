import { expect, test } from 'vitest';
import { canCreateTables, indexOf, positionText, postgresErrorOf } from './sql-text.ts';

test('a position counts code points, an index counts UTF-16 code units', () => {
  expect(indexOf("select '😀', wrong", 13)).toBe(13);
  expect(indexOf('select 1', 1)).toBe(0);
});

test('formats a position as line and column', () => {
  expect(positionText('select\n  wrong\nfrom x', 10)).toBe('line 2, column 3');
  expect(positionText('select 1', 1)).toBe('line 1, column 1');
  expect(positionText("select '😀', wrong", 13)).toBe('line 1, column 13');
});

test('reads the details of a PostgreSQL error from any internal value', () => {
  expect(postgresErrorOf({ error: { position: 8, hint: 'Perhaps', description: null } })).toEqual({
    position: 8,
    hint: 'Perhaps',
    detail: undefined,
  });
  expect(postgresErrorOf(undefined)).toEqual({ position: undefined, hint: undefined, detail: undefined });
});

test('detects statements that can create tables', () => {
  expect(['create view a as select 1', 'SELECT 1 INTO b', 'select 1'].map(canCreateTables)).toEqual([
    true,
    true,
    false,
  ]);
});
