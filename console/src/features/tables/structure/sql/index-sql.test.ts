import { expect, test } from 'vitest';
import {
  createIndexSql,
  dropIndexSql,
  indexErrors,
  isConcurrent,
  newIndex,
  progressSql,
  suggestedIndexName,
} from './index-sql.ts';

const table = { schema: 'public', name: "Who's who" };

test('an index has columns, expressions, a method, a condition and further columns', () => {
  const draft = {
    ...newIndex,
    name: 'By name',
    columns: ['Name'],
    expressions: 'lower(email)',
    unique: true,
    include: ['order'],
    where: 'active',
  };
  expect(createIndexSql(table, draft)).toBe(
    `create unique index concurrently "By name" on public."Who's who" ("Name", lower(email)) include ("order") where active;`,
  );
  expect(createIndexSql(table, { ...newIndex, columns: ['tags'], method: 'gin', concurrently: false })).toBe(
    `create index on public."Who's who" using gin (tags);`,
  );
});

test('needs a column or an expression, and a name to find an index that is created concurrently', () => {
  expect(Object.keys(indexErrors(newIndex))).toEqual(['columns', 'name']);
  expect(indexErrors({ ...newIndex, expressions: 'a', concurrently: false })).toEqual({});
});

test('suggests a name that no index has', () => {
  expect(suggestedIndexName(table, ['name'], [])).toBe("Who's who_name_idx");
  expect(suggestedIndexName(table, ['name'], ["Who's who_name_idx"])).toBe("Who's who_name_idx1");
});

test.each([
  ['create index concurrently a on b (c)', true],
  ['CREATE UNIQUE INDEX\n CONCURRENTLY a on b (c)', true],
  ['drop index concurrently a', true],
  ['create index a on b (c)', false],
])('finds out whether %j runs in a transaction', (sql, expected) => {
  expect(isConcurrent(sql)).toBe(expected);
});

test('renames and drops an index in the schema of its table', () => {
  expect(dropIndexSql('public', 'A', true)).toBe('drop index concurrently public."A";');
  expect(progressSql(table)).toContain(`to_regclass('public."Who''s who"')`);
});
