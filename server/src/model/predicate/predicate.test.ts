import { describe, expect, test } from 'vitest';
import { tableIn } from '../../../test/support/model/catalog.ts';
import {
  article,
  author,
  failure,
  model,
  read,
  user,
  Variable,
  whereContext,
} from '../../../test/support/model/predicates.ts';

describe('the where argument of a request', () => {
  const request = whereContext(author);
  test.each<readonly [string, unknown, unknown]>([
    ['{} is true for every row', {}, { and: [] }],
    ['a comparison', { id: { _eq: 1 } }, ['id', '_eq', 1]],
    ['no comparison is true', { id: {} }, { and: [] }],
    [
      'members are combined with and',
      { id: { _gt: 1, _lt: 9 }, name: { _like: 'A%' } },
      {
        and: [
          ['id', '_gt', 1],
          ['id', '_lt', 9],
          ['name', '_like', 'A%'],
        ],
      },
    ],
    ['a column by its GraphQL name', { birthday: { _gt: '2000-01-01' } }, ['born', '_gt', '2000-01-01']],
    [
      '_and',
      { _and: [{ id: { _eq: 1 } }, { id: { _eq: 2 } }] },
      {
        and: [
          ['id', '_eq', 1],
          ['id', '_eq', 2],
        ],
      },
    ],
    ['_or', { _or: [{ id: { _eq: 1 } }, {}] }, { or: [['id', '_eq', 1], { and: [] }] }],
    ['_or of nothing is false', { _or: [] }, { or: [] }],
    ['_not', { _not: { id: { _eq: 1 } } }, { not: ['id', '_eq', 1] }],
    ['_in', { id: { _in: [1, 2] } }, ['id', '_in', [1, 2]]],
    ['_in of nothing', { id: { _in: [] } }, ['id', '_in', []]],
    ['_is_null', { id: { _is_null: true } }, ['id', '_is_null', true]],
    ['a variable', { id: { _eq: new Variable('id') } }, ['id', '_eq', 'variable id']],
    ['a variable for a list', { id: { _in: new Variable('ids') } }, ['id', '_in', 'variable ids']],
    [
      'a variable in a list',
      { id: { _in: [1, new Variable('x')] } },
      ['id', '_in', { list: [1, 'variable x'], of: 'int4' }],
    ],
    ['a variable for null or not', { id: { _is_null: new Variable('x') } }, ['id', '_is_null', 'variable x']],
    ['an array', { tags: { _contains: ['a'] } }, ['tags', '_contains', ['a']]],
    [
      'an array with a variable in it',
      { tags: { _eq: ['a', new Variable('x')] } },
      ['tags', '_eq', { list: ['a', 'variable x'], of: 'text' }],
    ],
    ['a list of arrays', { tags: { _in: [['a'], []] } }, ['tags', '_in', [['a'], []]]],
    [
      'a list of arrays with a variable in it',
      { tags: { _nin: [['a'], new Variable('x')] } },
      {
        and: [
          ['tags', '_neq', ['a']],
          ['tags', '_neq', 'variable x'],
        ],
      },
    ],
    ['a JSON value', { info: { _contains: { a: [null] } } }, ['info', '_contains', { a: [null] }]],
    ['keys of jsonb', { info: { _has_keys_any: ['a', 'b'] } }, ['info', '_has_keys_any', ['a', 'b']]],
    ['a cast', { info: { _cast: { String: { _ilike: '%x%' } } } }, ['info::text', '_ilike', '%x%']],
    ['a member that was not given', { id: { _eq: undefined } }, { and: [] }],
  ])('%s', (_, json, expected) => {
    expect(read(json, request)).toEqual(expected);
  });

  test('a relationship is true if some row of it matches the expression', () => {
    expect(read({ articles: { title: { _eq: 'x' } } }, request)).toEqual({
      some: 'articles',
      where: ['title', '_eq', 'x'],
    });
  });

  test('the row rule of the role is added to relationships at any depth', () => {
    expect(read({ articles: {} }, whereContext(author, user))).toEqual({
      some: 'articles',
      where: ['public', '_eq', true],
    });
    expect(failure({ articles: { author: {} } }, whereContext(author, user)).path).toBe('$.where.articles.author');
  });

  test('the row rule is added to the filter of aggregated rows', () => {
    const json = { articles_aggregate: { count: { predicate: { _gt: 2 }, filter: { rating: { _gt: 3 } } } } };
    expect(read(json, whereContext(author, user))).toEqual({
      count: [],
      of: 'articles',
      distinct: false,
      filter: {
        and: [
          ['public', '_eq', true],
          ['rating', '_gt', 3],
        ],
      },
      tests: [['_gt', 2]],
      as: 'int4',
    });
  });

  test.each<readonly [string, unknown, unknown]>([
    [
      'a count of distinct values',
      { count: { arguments: ['title', 'rating'], distinct: true, predicate: { _eq: 1, _neq: new Variable('n') } } },
      {
        count: ['title', 'rating'],
        distinct: true,
        tests: [
          ['_eq', 1],
          ['_neq', 'variable n'],
        ],
        as: 'int4',
      },
    ],
    ['bool_and', { bool_and: { arguments: 'public', predicate: { _eq: true } } }, { bool_and: ['public'], as: 'bool' }],
    ['a sum', { sum: { arguments: 'rating', predicate: { _gte: 1.5 } } }, { sum: ['rating'], as: 'float8' }],
    [
      'a correlation, Y first',
      { corr: { arguments: { X: 'id', Y: 'rating' }, predicate: { _gt: 0 } } },
      { corr: ['rating', 'id'], as: 'float8' },
    ],
  ])('%s of related rows', (_, aggregates, expected) => {
    expect(read({ articles_aggregate: aggregates }, request)).toMatchObject(expected as object);
  });

  test('an input object has its members in the order of the operator, each with its type', () => {
    const place = whereContext(tableIn(model, 'place'));
    const point = { type: 'Point', coordinates: [1, 2] };
    expect(read({ spot: { _st_d_within: { distance: new Variable('d'), from: point } } }, place)).toEqual([
      'spot',
      '_st_d_within',
      {
        members: [
          [point, 'geometry'],
          ['variable d', 'float8'],
        ],
      },
    ]);
    const missing = failure({ spot: { _st_d_within: { distance: 1 } } }, place);
    expect(missing.message).toContain('"from" is missing');
    expect(failure({ spot: { _st_d_within: { distance: 1, from: point, x: 1 } } }, place).path).toBe(
      '$.where.spot._st_d_within.x',
    );
  });

  test.each<readonly [string, unknown, string, string?]>([
    ['null as a value', { id: { _eq: null } }, '$.where.id._eq'],
    ['null in a list', { id: { _in: [1, null] } }, '$.where.id._in[1]'],
    ['null as an operator object', { id: null }, '$.where.id'],
    ['null as a list of expressions', { _and: null }, '$.where._and'],
    ['null as the whole', null, '$.where'],
    ['an unknown name', { unknown: {} }, '$.where.unknown'],
    ['a column by its SQL name', { born: {} }, '$.where.born'],
    ['an operator that the type does not have', { id: { _like: 'x' } }, '$.where.id._like'],
    ['a bare value', { id: 1 }, '$.where.id'],
    ['the older spelling of rules', { $and: [] }, '$.where.$and'],
    ['a comparison with a column', { id: { _ceq: 'id' } }, '$.where.id._ceq'],
    ['_exists', { _exists: { _table: 'article', _where: {} } }, '$.where._exists'],
    ['a value of another type', { id: { _eq: 'x' } }, '$.where.id._eq', 'data-exception'],
    ['an item of another type', { id: { _in: [1, 'x'] } }, '$.where.id._in[1]', 'data-exception'],
    ['a single value for a list', { id: { _in: 1 } }, '$.where.id._in', 'parse-failed'],
    ['an unknown cast', { id: { _cast: { String: {} } } }, '$.where.id._cast.String'],
    ['an unknown aggregate', { articles_aggregate: { median: {} } }, '$.where.articles_aggregate.median'],
    [
      'an aggregate over a column of another type',
      { articles_aggregate: { sum: { arguments: 'title', predicate: {} } } },
      '$.where.articles_aggregate.sum.arguments',
    ],
    [
      'an aggregate with nothing to compare it with',
      { articles_aggregate: { count: {} } },
      '$.where.articles_aggregate.count',
    ],
  ])('%s is rejected at its path', (_, json, path, code = 'validation-failed') => {
    const error = failure(json, request);
    expect(error.path).toBe(path);
    expect(error.code).toBe(code);
  });

  test('a value that is not a path of labels is rejected at its path', () => {
    const error = failure({ path: { _ancestor_any: ['Tree', 'Tree.'] } }, whereContext(article));
    expect(error).toMatchObject({ code: 'parse-failed', path: '$.where.path._ancestor_any[1]' });
  });

  test('deep nesting is rejected without a stack overflow', () => {
    let json: unknown = {};
    for (let level = 0; level < 50_000; level += 1) json = { _not: json };
    expect(failure(json, request).message).toContain('nested more than 200 levels');
  });
});
