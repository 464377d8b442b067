import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf, resolveTables, tableIn, typeOf } from '../../test/hand-catalog.ts';
import { ServiceError } from '../base/errors.ts';
import { selectAccess } from './access.ts';
import type { Operand, Predicate, Relationship, Table } from './model.ts';
import { parsePredicate } from './predicate.ts';
import type { PredicateContext } from './predicate-context.ts';
import { sessionOperand } from './predicate-values.ts';

const catalog = catalogOf(
  {
    author: { columns: { id: 'int4!', name: 'text', born: 'date', tags: 'text[]', info: 'jsonb', score: 'float8' } },
    article: {
      columns: { id: 'int4!', title: 'text', author_id: 'int4', public: 'bool', rating: 'numeric', path: 'ltree' },
      foreign: ['author_id -> author.id'],
    },
    place: { columns: { id: 'int4!', spot: 'geometry' } },
  },
  [
    typeOf(50, 'ltree', { extension: 'ltree', schema: 'public' }),
    typeOf(51, 'geometry', { extension: 'postgis', schema: 'public' }),
  ],
);
const user = RoleName.parse('user');
const model = resolveTables(
  [
    {
      table: 'author',
      configuration: { column_config: { born: { custom_name: 'birthday' } } },
      array_relationships: [
        { name: 'articles', using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } } },
      ],
    },
    {
      table: 'article',
      object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
      select_permissions: [
        { role: 'user', permission: { columns: '*', filter: { public: true }, allow_aggregations: true } },
      ],
    },
    { table: 'place' },
  ],
  catalog,
);
const author = tableIn(model, 'author');
const article = tableIn(model, 'article');

/** Stands for a GraphQL variable, as the planner marks one. */
class Variable {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

function ofRequest(table: Table, role: RoleName = ADMIN_ROLE): PredicateContext {
  return {
    table,
    naming: 'fields',
    path: '$.where',
    operand: (value) => (value instanceof Variable ? { kind: 'variable', name: value.name } : undefined),
    access: (target) => selectAccess(target, role),
  };
}

function ofRule(table: Table): PredicateContext {
  return {
    table,
    naming: 'columns',
    path: '$.filter',
    operand: sessionOperand('x-service-'),
    tableNamed: (schema, name) => (schema === 'public' ? tableIn(model, name) : undefined),
  };
}

function printOperand(operand: Operand): unknown {
  switch (operand.kind) {
    case 'constant':
      return operand.value;
    case 'session':
    case 'variable':
      return `${operand.kind} ${operand.name}`;
    case 'column':
      return `${[operand.of, ...operand.path.map(({ name }) => name), operand.column.name].join('.')}`;
    case 'list':
      return { list: operand.items.map(printOperand), of: operand.element.sqlName };
    case 'members':
      return { members: operand.of.map((one) => [printOperand(one.operand), one.type.name]) };
    default:
      return operand satisfies never;
  }
}

/** A predicate with names in place of the objects of the model. */
function print(predicate: Predicate): unknown {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return { [predicate.kind]: predicate.of.map(print) };
    case 'not':
    case 'rule':
      return { [predicate.kind]: print(predicate.of) };
    case 'compare': {
      const { left, operator, right } = predicate;
      return [left.column.name + (left.cast ? `::${left.cast.name}` : ''), operator.name, printOperand(right)];
    }
    case 'related':
      return { some: nameOf(predicate.relationship), where: print(predicate.where) };
    case 'exists':
      return { exists: predicate.table.name, where: print(predicate.where) };
    case 'aggregated': {
      const { relationship, aggregate, arguments: columns, distinct, filter, tests, resultType } = predicate;
      return {
        [aggregate]: columns.map(({ name }) => name),
        of: nameOf(relationship),
        distinct,
        filter: print(filter),
        tests: tests.map((one) => [one.operator.name, printOperand(one.right)]),
        as: resultType.name,
      };
    }
    default:
      return predicate satisfies never;
  }
}

function nameOf({ name }: Relationship): string {
  return name;
}

function read(json: unknown, context: PredicateContext): unknown {
  return print(parsePredicate(json, context));
}

function failure(json: unknown, context: PredicateContext): ServiceError {
  try {
    parsePredicate(json, context);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the where argument of a request', () => {
  const request = ofRequest(author);
  test.each<readonly [string, unknown, unknown]>([
    ['{} holds for every row', {}, { and: [] }],
    ['a comparison', { id: { _eq: 1 } }, ['id', '_eq', 1]],
    ['no comparison holds', { id: {} }, { and: [] }],
    [
      'members hold together',
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

  test('a relationship holds when some row behind it fulfils the expression', () => {
    expect(read({ articles: { title: { _eq: 'x' } } }, request)).toEqual({
      some: 'articles',
      where: ['title', '_eq', 'x'],
    });
  });

  test('the row rule of the role is added behind a relationship, however deep', () => {
    expect(read({ articles: {} }, ofRequest(author, user))).toEqual({
      some: 'articles',
      where: ['public', '_eq', true],
    });
    expect(failure({ articles: { author: {} } }, ofRequest(author, user)).path).toBe('$.where.articles.author');
  });

  test('the rule is added to the rows that are counted, beside the filter', () => {
    const json = { articles_aggregate: { count: { predicate: { _gt: 2 }, filter: { rating: { _gt: 3 } } } } };
    expect(read(json, ofRequest(author, user))).toEqual({
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

  test('an input object keeps the order of the operator, each member with its type', () => {
    const place = ofRequest(tableIn(model, 'place'));
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
    ['a name that is not there', { nobody: {} }, '$.where.nobody'],
    ['a column by its SQL name', { born: {} }, '$.where.born'],
    ['an operator that the type has not', { id: { _like: 'x' } }, '$.where.id._like'],
    ['a bare value', { id: 1 }, '$.where.id'],
    ['the older spelling of rules', { $and: [] }, '$.where.$and'],
    ['a comparison with a column', { id: { _ceq: 'id' } }, '$.where.id._ceq'],
    ['_exists', { _exists: { _table: 'article', _where: {} } }, '$.where._exists'],
    ['a value of another type', { id: { _eq: 'x' } }, '$.where.id._eq', 'parse-failed'],
    ['an item of another type', { id: { _in: [1, 'x'] } }, '$.where.id._in[1]', 'parse-failed'],
    ['a single value for a list', { id: { _in: 1 } }, '$.where.id._in', 'parse-failed'],
    ['a cast that is not there', { id: { _cast: { String: {} } } }, '$.where.id._cast.String'],
    ['an aggregate that is not there', { articles_aggregate: { median: {} } }, '$.where.articles_aggregate.median'],
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
  ])('%s is refused at its path', (_, json, path, code = 'validation-failed') => {
    const error = failure(json, request);
    expect(error.path).toBe(path);
    expect(error.code).toBe(code);
  });

  test('a path that is no longer a path of labels is refused where it stands', () => {
    const error = failure({ path: { _ancestor_any: ['Tree', 'Tree.'] } }, ofRequest(article));
    expect(error).toMatchObject({ code: 'parse-failed', path: '$.where.path._ancestor_any[1]' });
  });

  test('nesting without end is refused, not run into', () => {
    let json: unknown = {};
    for (let level = 0; level < 50_000; level += 1) json = { _not: json };
    expect(failure(json, request).message).toContain('nested more than 200 levels');
  });
});

describe('the row rule of a permission', () => {
  const rule = ofRule(author);
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

  test('a path through object relationships leads to a column of another table', () => {
    expect(read({ rating: { _cgt: ['author', 'score'] } }, ofRule(article))).toEqual([
      'rating',
      '_gt',
      'row.author.score',
    ]);
  });

  test.each<readonly [string, unknown, string]>([
    ['null', { id: null }, '$.filter.id'],
    ['null as a value', { name: { _neq: null } }, '$.filter.name._neq'],
    ['a name that is not there', { nobody: 1 }, '$.filter.nobody'],
    ['an operator that is not there', { id: { $near: 1 } }, '$.filter.id.$near'],
    ['_is_null of something else', { id: { _is_null: 'yes please' } }, '$.filter.id._is_null'],
    ['a column that is not there', { id: { _ceq: 'nobody' } }, '$.filter.id._ceq'],
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
    ['a list that is none', { _or: {} }, '$.filter._or'],
    ['a name that needs quotes', { 'first name': 1 }, '$.filter["first name"]'],
  ])('%s is refused at its path', (_, json, path) => {
    expect(failure(json, rule).path).toBe(path);
  });

  test('why a name is missing is said where it is known', () => {
    const whyMissing = (_: Table, name: string) => `relationship "${name}" was dropped`;
    expect(failure({ publisher: {} }, { ...rule, whyMissing }).message).toBe('relationship "publisher" was dropped');
  });
});
