import { describe, expect, test } from 'vitest';
import { article, author, failure, read, ruleContext } from '../../../test/support/model/predicates.ts';
import type { Table } from '../types/table.ts';

describe('the row rule of a permission', () => {
  const rule = ruleContext(author);
  test.each<readonly [string, unknown, unknown]>([
    ['a bare value is _eq', { id: 3 }, ['id', '_eq', 3]],
    ['a session variable in any case', { id: 'X-SERVICE-User-Id' }, ['id', '_eq', 'session x-service-user-id']],
    ['the prefix alone is a string', { name: 'X-Service-' }, ['name', '_eq', 'X-Service-']],
    ['a session variable for a list', { id: { _in: 'X-Service-Ids' } }, ['id', '_in', 'session x-service-ids']],
    [
      'a session variable in a list',
      { id: { _in: [1, 'x-service-id'] } },
      ['id', '_in', { list: [1, 'session x-service-id'], of: 'int4' }],
    ],
    [
      'older spellings',
      { $or: [{ id: { $eq: 1 } }, { $not: { name: { $ne: 'x' } } }] },
      {
        or: [['id', '_eq', 1], { not: ['name', '_neq', 'x'] }],
      },
    ],
    ['a bare array is compared as a whole', { tags: ['a'] }, ['tags', '_eq', ['a']]],
    ['a column by its SQL name', { born: '2000-01-01' }, ['born', '_eq', '2000-01-01']],
    ['a column by its GraphQL name', { birthday: '2000-01-01' }, ['born', '_eq', '2000-01-01']],
    ['another column', { id: { _cgt: 'score' } }, ['id', '_gt', 'row.score']],
    ['another column in a list', { id: { $ceq: ['score'] } }, ['id', '_eq', 'row.score']],
    ['the row itself as the root', { id: { _cneq: ['$', 'score'] } }, ['id', '_neq', 'row.score']],
    [
      'a relationship, without the rule of its target',
      { articles: { public: false } },
      {
        some: 'articles',
        where: ['public', '_eq', false],
      },
    ],
    [
      'a column of the outermost row',
      { articles: { rating: { _clte: ['$', 'score'] } } },
      {
        rule: { some: 'articles', where: ['rating', '_lte', 'root.score'] },
      },
    ],
    [
      'any row of another table',
      { _exists: { _table: 'article', _where: { public: true } } },
      {
        exists: 'article',
        where: ['public', '_eq', true],
      },
    ],
    [
      'any row at all',
      { $exists: { _table: { schema: 'public', name: 'article' } } },
      {
        exists: 'article',
        where: { and: [] },
      },
    ],
    ['a cast to the SQL name of a type', { info: { $cast: { text: { _like: 'x' } } } }, ['info::text', '_like', 'x']],
    [
      'a count of related rows',
      { articles_aggregate: { count: { predicate: { _gt: 'X-Service-Min' } } } },
      {
        count: [],
        of: 'articles',
        distinct: false,
        filter: { and: [] },
        tests: [['_gt', 'session x-service-min']],
        as: 'int4',
      },
    ],
  ])('%s', (_, json, expected) => {
    expect(read(json, rule)).toEqual(expected);
  });

  test('a path through object relationships refers to a column of another table', () => {
    expect(read({ rating: { _cgt: ['author', 'score'] } }, ruleContext(article))).toEqual([
      'rating',
      '_gt',
      'row.author.score',
    ]);
  });

  test.each<readonly [string, unknown, string]>([
    ['null', { id: null }, '$.filter.id'],
    ['null as a value', { name: { _neq: null } }, '$.filter.name._neq'],
    ['an unknown name', { unknown: 1 }, '$.filter.unknown'],
    ['an unknown operator', { id: { $near: 1 } }, '$.filter.id.$near'],
    ['_is_null of something else', { id: { _is_null: 'yes please' } }, '$.filter.id._is_null'],
    ['an unknown column', { id: { _ceq: 'unknown' } }, '$.filter.id._ceq'],
    ['a column of another type', { id: { _ceq: 'name' } }, '$.filter.id._ceq'],
    ['a path through an array relationship', { id: { _ceq: ['articles', 'id'] } }, '$.filter.id._ceq'],
    ['no path', { id: { _ceq: [] } }, '$.filter.id._ceq'],
    ['a table that is not tracked', { _exists: { _table: { schema: 'x', name: 'y' } } }, '$.filter._exists._table'],
    ['no table', { _exists: { _where: {} } }, '$.filter._exists._table'],
    [
      'something in the rule of another table',
      { _exists: { _table: 'article', _where: { x: 1 } } },
      '$.filter._exists._where.x',
    ],
    ['a string for a number', { id: 'X-Other-User-Id' }, '$.filter.id'],
    ['an object in place of a list', { _or: {} }, '$.filter._or'],
    ['a name that needs quotes', { 'first name': 1 }, '$.filter["first name"]'],
  ])('%s is rejected at its path', (_, json, path) => {
    expect(failure(json, rule).path).toBe(path);
  });

  test('the error of an unknown name has the reason if it is known', () => {
    const whyMissing = (_: Table, name: string) => `relationship "${name}" was dropped`;
    expect(failure({ publisher: {} }, { ...rule, whyMissing }).message).toBe('relationship "publisher" was dropped');
  });
});
