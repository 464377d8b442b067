import { expect, test } from 'vitest';
import { draftSql, forgetSql, keepDraft, rememberSql, removeSql, savedSql, saveSql, sqlHistory } from './stored-sql.ts';

function store(): Pick<Storage, 'getItem' | 'setItem'> {
  const stored = new Map<string, string>();
  return { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => void stored.set(key, value) };
}

const full = {
  ...store(),
  setItem: () => {
    throw new Error('full');
  },
};
const ran = (sql: string) => ({ sql, source: 'default', at: '2026-01-01T00:00:00Z' });

test('the history lists the latest first, without duplicates', () => {
  const browser = store();
  for (const sql of ['select 1', 'select 2', 'select 1']) rememberSql(browser, ran(sql));
  expect(sqlHistory(browser).map(({ sql }) => sql)).toEqual(['select 1', 'select 2']);
  forgetSql(browser);
  expect(sqlHistory(browser)).toEqual([]);
});

test('the history has at most one hundred entries', () => {
  const browser = store();
  for (let number = 0; number < 110; number += 1) rememberSql(browser, ran(`select ${number}`));
  expect(sqlHistory(browser)).toHaveLength(100);
});

test('saved queries have unique names, in alphabetic order, and can be removed', () => {
  const browser = store();
  for (const name of ['b', 'a', 'b']) saveSql(browser, { name, sql: `select '${name}'`, source: 'default' });
  expect(savedSql(browser).map(({ name }) => name)).toEqual(['a', 'b']);
  expect(removeSql(browser, 'a').map(({ name }) => name)).toEqual(['b']);
});

test('the draft is that which was kept last', () => {
  const browser = store();
  for (const sql of ['select 1', 'select 2']) keepDraft(browser, { sql, source: 'default' });
  expect(draftSql(browser)).toEqual({ sql: 'select 2', source: 'default' });
});

test('entries of another form are ignored', () => {
  for (const text of ['{', '[1]', '{"sql": 1}']) {
    const browser = { ...store(), getItem: () => text };
    expect([sqlHistory(browser), savedSql(browser), draftSql(browser)]).toEqual([[], [], undefined]);
  }
});

test('a full storage does not fail a run, and is reported where a query is saved', () => {
  expect(rememberSql(full, ran('select 1'))).toHaveLength(1);
  expect(saveSql(full, { name: 'a', sql: 'select 1', source: 'default' })).toBeUndefined();
});
