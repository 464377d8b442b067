import { expect, test } from 'vitest';
import { bounded, canCreateTables, positionText, postgresErrorOf, SHOWN_ROWS } from './sql-text.ts';

test.each([['select * from a'], ['  with x as (select 1)\nselect * from x;\n'], ['TABLE a']])(
  '%j is read through a cursor',
  (sql) => {
    const { sql: run, before } = bounded(sql);
    expect(run).toContain(`fetch ${SHOWN_ROWS + 1} from`);
    // A position in the statement maps back to the typed SQL.
    const word = sql.trim().slice(0, 5);
    expect(run.indexOf(word) - before).toBe(sql.indexOf(word));
  },
);

test.each([
  ['insert into a values (1)'],
  ['with x as (delete from a returning *) select * from x'],
  ['select 1; select 2'],
  ['select * into b from a'],
  ['select * from a for update'],
  ['create table a (b int)'],
  ['-- first\nselect 1'],
])('%j runs unchanged', (sql) => {
  expect(bounded(sql)).toEqual({ sql, before: 0 });
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
