/** Boolean expressions of less common forms. */
import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import {
  author,
  type ContextName,
  contexts,
  read,
  ruleContext,
  whereContext,
} from '../../../test/support/model/predicates.ts';
import { arrayOf } from './column-types.ts';
import { countedMembers, listed, type PredicateContext, type Scope } from './context.ts';
import { isNotNull, isNull } from './operators-common.ts';
import { parsePredicate } from './predicate.ts';

test.each<readonly [ContextName, unknown, unknown]>([
  ['rule', { id: { _ceq: 'id' } }, ['id', '_eq', 'row.id']],
  ['rule', { score: { $cgt: 'id' } }, ['score', '_gt', 'row.id']],
  ['rule', { id: { _cne: 'score' } }, ['id', '_neq', 'row.score']],
  ['rule', { id: { _clt: 'score' } }, ['id', '_lt', 'row.score']],
  ['rule', { id: { _cgte: 'score' } }, ['id', '_gte', 'row.score']],
  ['rule', { id: { $clte: ['$', 'score'] } }, ['id', '_lte', 'row.score']],
  [
    'rule',
    {
      articles_aggregate: {
        count: { predicate: { $gt: 1, $ne: 3 } },
        sum: { arguments: ['rating'], predicate: { _is_null: true } },
      },
    },
    {
      and: [
        {
          count: [],
          of: 'articles',
          distinct: false,
          filter: { and: [] },
          tests: [
            ['_gt', 1],
            ['_neq', 3],
          ],
          as: 'int4',
        },
        {
          sum: ['rating'],
          of: 'articles',
          distinct: false,
          filter: { and: [] },
          tests: [['_is_null', true]],
          as: 'float8',
        },
      ],
    },
  ],
  ['rule', { articles_aggregate: {} }, { and: [] }],
  [
    'ruleArticle',
    { author: { id: { _ceq: ['$', 'author', 'id'] } } },
    { rule: { some: 'author', where: ['id', '_eq', 'root.author.id'] } },
  ],
  [
    'rule',
    { articles: { author: { id: { _ceq: ['$', 'id'] } } } },
    { rule: { some: 'articles', where: { some: 'author', where: ['id', '_eq', 'root.id'] } } },
  ],
  [
    'rule',
    { _exists: { _table: 'article', _where: { id: { _ceq: ['$', 'id'] } } } },
    { rule: { exists: 'article', where: ['id', '_eq', 'root.id'] } },
  ],
  ['rule', { id: { $is_null: false } }, ['id', '_is_null', false]],
  ['rule', { id: { _is_null: 'X-Service-A' } }, ['id', '_is_null', 'session x-service-a']],
  ['rule', { tags: { _in: [['a'], ['b']] } }, ['tags', '_in', [['a'], ['b']]]],
  [
    'rule',
    { tags: { $in: [['a'], 'X-Service-Tags'] } },
    {
      or: [
        ['tags', '_eq', ['a']],
        ['tags', '_eq', 'session x-service-tags'],
      ],
    },
  ],
  [
    'rule',
    { tags: { _nin: [['a'], 'X-Service-Tags'] } },
    {
      and: [
        ['tags', '_neq', ['a']],
        ['tags', '_neq', 'session x-service-tags'],
      ],
    },
  ],
  ['rule', { tags: ['a', 'X-Service-Tag'] }, ['tags', '_eq', { list: ['a', 'session x-service-tag'], of: 'text' }]],
  [
    'where',
    { articles_aggregate: { count: { predicate: { _is_null: false } } } },
    { count: [], of: 'articles', distinct: false, filter: { and: [] }, tests: [['_is_null', false]], as: 'int4' },
  ],
  [
    'where',
    { articles_aggregate: { count: { predicate: {}, arguments: 'title' } } },
    { count: ['title'], of: 'articles', distinct: false, filter: { and: [] }, tests: [], as: 'int4' },
  ],
  [
    'where',
    { articles_aggregate: { max: { predicate: { _lt: 5 }, arguments: ['rating'], distinct: false } } },
    { max: ['rating'], of: 'articles', distinct: false, filter: { and: [] }, tests: [['_lt', 5]], as: 'float8' },
  ],
  [
    'where',
    { articles_aggregate: { covar_samp: { predicate: {}, arguments: { X: 'rating', Y: 'id' } } } },
    { covar_samp: ['id', 'rating'], of: 'articles', distinct: false, filter: { and: [] }, tests: [], as: 'float8' },
  ],
  ['where', { _and: [] }, { and: [] }],
  ['where', { _or: [{ _or: [{ id: { _eq: 1 } }] }] }, { or: [{ or: [['id', '_eq', 1]] }] }],
  [
    'where',
    { info: { _cast: { String: { _eq: 'x', _is_null: true } } } },
    {
      and: [
        ['info::text', '_eq', 'x'],
        ['info::text', '_is_null', true],
      ],
    },
  ],
  [
    'wherePlace',
    { spot: { _cast: { geography: { _st_d_within: { from: 'POINT(1 2)', distance: 3 } } } } },
    [
      'spot::geography',
      '_st_d_within',
      {
        members: [
          ['POINT(1 2)', 'geography'],
          [3, 'float8'],
          [true, 'bool'],
        ],
      },
    ],
  ],
  [
    'where',
    { articles: { author: { articles: { id: { _eq: 1 } } } } },
    { some: 'articles', where: { some: 'author', where: { some: 'articles', where: ['id', '_eq', 1] } } },
  ],
  [
    'rule',
    { info: { _has_keys_any: ['a', 'X-Service-Key'] } },
    ['info', '_has_keys_any', { list: ['a', 'session x-service-key'], of: 'text' }],
  ],
])('%s %j is parsed', (name, json, parsed) => {
  expect(read(json, contexts[name])).toEqual(parsed);
});

test('each comparison with an operand is reported with its path', () => {
  const reported: string[] = [];
  const compared: PredicateContext['compared'] = ({ operator }, path) => reported.push(`${operator.name} ${path}`);
  parsePredicate(
    { id: { _eq: 1, _is_null: true }, articles: { id: { _in: [2] } } },
    { ...whereContext(author), compared },
  );
  expect(reported).toEqual(['_eq $.where.id._eq', '_in $.where.articles.id._in']);
});

test('the members of each object are counted, at least one', () => {
  const counted: (readonly [number, string])[] = [];
  const count: PredicateContext['count'] = (members, path) => counted.push([members, path]);
  const json = { id: { _eq: 1, _gt: 2 }, _not: {}, tags: { _in: [['a'], 'X-Service-A', 'X-Service-B'] } };
  parsePredicate(json, { ...ruleContext(author), count });
  expect(counted).toEqual([
    [3, '$.filter'],
    [2, '$.filter.id'],
    [1, '$.filter._not'],
    [1, '$.filter.tags'],
    [3, '$.filter.tags._in'],
  ]);
});

test('columns can be compared in a where argument if its context says so', () => {
  expect(read({ id: { _cgt: 'score' } }, { ...whereContext(author), columnComparisons: true })).toEqual([
    'id',
    '_gt',
    'row.score',
  ]);
});

test('columns cannot be compared in a rule if its context says so', () => {
  const context = { ...ruleContext(author), columnComparisons: false };
  expect(() => read({ id: { _cgt: 'score' } }, context)).toThrow('columns of type int4 have no operator "_cgt"');
});

test('members that are undefined do not exist', () => {
  const scope = { context: {} } as Scope;
  expect(countedMembers({ a: undefined, b: null }, scope, '$', 'x')).toEqual([['b', null]]);
});

test.each([
  [20, 't0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15, t16, t17, t18, t19'],
  [21, 't0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15, t16, t17, t18, t19, ...'],
])('%i names are listed', (length, text) => {
  expect(listed(Array.from({ length }, (_, index) => `t${index}`))).toBe(text);
});

test('a where argument may be nested 200 levels deep', () => {
  const nested = (levels: number) => {
    let json: unknown = {};
    for (let level = 1; level < levels; level += 1) json = { _not: json };
    return json;
  };
  expect(() => parsePredicate(nested(200), whereContext(author))).not.toThrow();
  expect(() => parsePredicate(nested(201), whereContext(author))).toThrow(
    'the expression is nested more than 200 levels deep',
  );
});

test.each([
  [true, isNull],
  [false, isNotNull],
])('_is_null: %s is an operator of its own', (value, operator) => {
  const compared = parsePredicate({ id: { _is_null: value } }, whereContext(author));
  const aggregated = parsePredicate(
    { articles_aggregate: { count: { predicate: { _is_null: value } } } },
    whereContext(author),
  );
  expect([compared, aggregated]).toMatchObject([{ operator }, { tests: [{ operator }] }]);
});

test('_exists names no table without tables to name', () => {
  const { tableNamed: _tables, ...context } = ruleContext(author);
  expect(() => parsePredicate({ _exists: { _table: 'article' } }, context)).toThrow(
    'table public.article is not tracked in this source, or was dropped',
  );
});

test('a name that is as long as that of aggregates is unknown', () => {
  expect(() => parsePredicate({ articles_aggregata: {} }, whereContext(author))).toThrow(
    'table author has no column or relationship "articles_aggregata"',
  );
});

describe('session variables of a rule', () => {
  const info = author.columns.get('info');
  const tags = author.columns.get('tags');
  const lists = new Map(
    ['jsonb', 'int4'].flatMap((name) => {
      const element = columnType(name === 'int4' ? 'Int' : name);
      return tags === undefined ? [] : [[name, { ...tags, name, field: name, type: arrayOf(element) }] as const];
    }),
  );
  const context = ruleContext({ ...author, columnsByName: new Map([...author.columnsByName, ...lists]) });

  test.each<readonly [string, unknown, unknown]>([
    ['are no items of JSON', { info: { _contains: ['X-Service-A'] } }, ['info', '_contains', ['X-Service-A']]],
    [
      'are items of arrays of JSON',
      { jsonb: ['X-Service-A', [1]] },
      ['jsonb', '_eq', { list: ['session x-service-a', [1]], of: 'jsonb' }],
    ],
    ['are no parts of items of binary JSON', { jsonb: [['X-Service-A']] }, ['jsonb', '_eq', [['X-Service-A']]]],
    [
      'are items of nested lists',
      {
        int4: [
          [1, 'X-Service-A'],
          [2, 3],
        ],
      },
      ['int4', '_eq', { list: [{ list: [1, 'session x-service-a'], of: 'int4' }, [2, 3]], of: 'int4' }],
    ],
  ])('%s', (_rule, json, parsed) => {
    expect([info?.type.name, read(json, context)]).toEqual(['jsonb', parsed]);
  });
});

test.each([
  [{ xnot: {} }, 'table author has no column or relationship "xnot"'],
  [
    { id: { _ceq: ['articles', 1] } },
    'expected the name of a column, or a path such as ["$", "column"], but found a list',
  ],
])('a rule %j is rejected: %s', (rule, message) => {
  expect(() => parsePredicate(rule, ruleContext(author))).toThrow(message);
});

test('a table without access is compared as it is', () => {
  expect(read({ id: { _eq: 1 } }, { ...whereContext(author), access: () => undefined })).toEqual(['id', '_eq', 1]);
});
