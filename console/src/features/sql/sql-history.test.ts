import { expect, test } from 'vitest';
import { forgetSql, rememberSql, sqlHistory } from './sql-history.ts';

function store(): Pick<Storage, 'getItem' | 'setItem'> {
  const history = new Map<string, string>();
  return { getItem: (key) => history.get(key) ?? null, setItem: (key, value) => void history.set(key, value) };
}

const ran = (sql: string) => ({ sql, source: 'default', at: '2026-01-01T00:00:00Z' });

test('lists the latest first, without duplicates', () => {
  const browser = store();
  for (const sql of ['select 1', 'select 2', 'select 1']) rememberSql(browser, ran(sql));
  expect(sqlHistory(browser).map(({ sql }) => sql)).toEqual(['select 1', 'select 2']);
  forgetSql(browser);
  expect(sqlHistory(browser)).toEqual([]);
});

test('stores at most fifty entries', () => {
  const browser = store();
  for (let number = 0; number < 60; number += 1) rememberSql(browser, ran(`select ${number}`));
  expect(
    sqlHistory(browser)
      .map(({ sql }) => sql)
      .slice(0, 1),
  ).toEqual(['select 59']);
  expect(sqlHistory(browser)).toHaveLength(50);
});

test('works with invalid storage and without storage', () => {
  expect(sqlHistory({ ...store(), getItem: () => '{' })).toEqual([]);
  expect(sqlHistory({ ...store(), getItem: () => '[1]' })).toEqual([]);
  const full = {
    ...store(),
    setItem: () => {
      throw new Error('full');
    },
  };
  expect(rememberSql(full, ran('select 1'))).toHaveLength(1);
});
