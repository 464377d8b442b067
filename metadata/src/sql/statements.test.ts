/** Tests of splitting SQL text into statements and transactions. */
import { describe, expect, test } from 'vitest';
import { controlOf, quotedParts, statementsOf, transactionsOf } from './statements.ts';

test.each([
  [`select ';', e'it\\'s;', "a;b"; select 2`, [`select ';', e'it\\'s;', "a;b"`, 'select 2']],
  [`select e'a''\\';'; select 2`, [`select e'a''\\';'`, 'select 2']],
  [`select 'E''\\'; select 2`, [`select 'E''\\'`, 'select 2']],
  [`select 'a\\'; select 2`, [`select 'a\\'`, 'select 2']],
  ['do $x$ begin commit; end $x$; $$;$$', ['do $x$ begin commit; end $x$', '$$;$$']],
  ['select a$b$c; select d$b$e', ['select a$b$c', 'select d$b$e']],
  ['/* a; /* b; */ ; */ select 1 -- no; end\n; ;', ['/* a; /* b; */ ; */ select 1 -- no; end']],
  [
    'create function f() returns int begin atomic select case when true then 1 else 2 end; select 2; end; select 3',
    ['create function f() returns int begin atomic select case when true then 1 else 2 end; select 2; end', 'select 3'],
  ],
  [
    'create rule r as on insert to a do also (insert into b values (1); insert into c values (2)); select 1',
    ['create rule r as on insert to a do also (insert into b values (1); insert into c values (2))', 'select 1'],
  ],
  ['begin; select 1; end', ['begin', 'select 1', 'end']],
])('splits %s', (sql, expected) => {
  const found = statementsOf(sql);
  expect(found.map(({ text }) => text)).toEqual(expected);
  for (const { text, start } of found) expect(sql.slice(start, start + text.length)).toBe(text);
});

test.each([
  ['begin', 'begin'],
  ['-- first\nBEGIN /* now */ WORK', 'begin'],
  ['start transaction isolation level read committed, read write', 'begin'],
  ['begin isolation level serializable', 'begin with options'],
  ['commit', 'commit'],
  ['COMMIT AND CHAIN', 'commit'],
  ['end transaction', 'commit'],
  ['rollback', 'rollback'],
  ['abort', 'rollback'],
  ["prepare transaction 'a'", 'prepare transaction'],
  ['savepoint a', undefined],
  ['rollback to savepoint a', undefined],
  ['rollback to a', undefined],
  ['release a', undefined],
  ["select 'commit'", undefined],
  ["commit prepared 'a'", undefined],
  ['do $$ begin commit; end $$', undefined],
  ['prepare p as select 1', undefined],
])('%s is %s', (statement, control) => {
  expect(controlOf(statement)).toBe(control);
});

describe('transactionsOf', () => {
  const blank = (length: number) => ' '.repeat(length);

  test.each([
    ['select 1; select 2', [['select 1; select 2', 0]]],
    ['begin;\nselect 1;\ncommit;', [[`${blank(5)};\nselect 1;\n${blank(6)}`, 0]]],
    [
      'select 1; commit; select 2',
      [
        [`select 1; ${blank(6)}`, 0],
        ['; select 2', 16],
      ],
    ],
    [
      'begin; select 1; commit; begin; select 2; end',
      [
        [`${blank(5)}; select 1; ${blank(6)}`, 0],
        [`; ${blank(5)}; select 2; ${blank(3)}`, 23],
      ],
    ],
    ["select 'commit;'; do $$ begin commit; end $$", [["select 'commit;'; do $$ begin commit; end $$", 0]]],
    ['savepoint a; select 1; rollback to a', [['savepoint a; select 1; rollback to a', 0]]],
    ['begin; commit', [[`${blank(5)}; ${blank(6)}`, 0]]],
    ['-- nothing', [['-- nothing', 0]]],
  ])('splits %j at each commit', (sql, expected) => {
    const { transactions, problem } = transactionsOf(sql);
    expect(problem).toBeUndefined();
    expect(transactions.map((one) => [one.sql, one.start])).toEqual(expected);
  });

  test.each([
    ['select 1; rollback; select 2', 'rollback', 10],
    ['begin isolation level serializable; select 1; commit', 'begin with options', 0],
    ["select 1; prepare transaction 'a'", 'prepare transaction', 10],
  ])('reports the statement of %j that cannot be split', (sql, control, start) => {
    expect(transactionsOf(sql)).toMatchObject({ transactions: [], problem: { control, statement: { start } } });
  });
});

test('splits a statement with an escape string of 10 million characters', () => {
  const long = `select e'${'x'.repeat(10_000_000)}\\';'`;
  expect(statementsOf(`${long}; select 2`).map(({ text }) => text.length)).toEqual([long.length, 8]);
});

test('yields quotes and comments, nested ones as one', () => {
  const sql = `select 'a''b', "c" /* d /* e */ f */ -- g\n + $x$ h $x$, e'\\'i'`;
  expect([...quotedParts(sql)].map(({ kind, start, end }) => [kind, sql.slice(start, end)])).toEqual([
    ['quote', "'a''b'"],
    ['quote', '"c"'],
    ['comment', '/* d /* e */ f */'],
    ['comment', '-- g\n'],
    ['quote', '$x$ h $x$'],
    ['quote', "'\\'i'"],
  ]);
});
