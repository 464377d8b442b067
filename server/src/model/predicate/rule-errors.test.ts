/** The message and path of every error of a row rule. */
import { expect, test } from 'vitest';
import { tableIn } from '../../../test/support/model/catalog.ts';
import { article, author, failure, model, ruleContext } from '../../../test/support/model/predicates.ts';

const contexts = {
  rule: ruleContext(author),
  ruleArticle: ruleContext(article),
  rulePlace: ruleContext(tableIn(model, 'place')),
};

test.each<readonly [keyof typeof contexts, unknown, string, string, string]>([
  [
    'rule',
    { id: null },
    'validation-failed',
    '$.filter.id',
    'unexpected null value; use _is_null to compare with null',
  ],
  ['rule', { id: [] }, 'parse-failed', '$.filter.id', 'expected a whole number for type int4, but found a list'],
  ['rule', { tags: 'x' }, 'data-exception', '$.filter.tags', 'malformed array literal: "x"'],
  ['rule', { _exists: null }, 'validation-failed', '$.filter._exists', 'expected _exists, an object, but found null'],
  [
    'rule',
    { _exists: {} },
    'validation-failed',
    '$.filter._exists._table',
    'expected the name of a table, or an object with its schema and name',
  ],
  [
    'rule',
    { _exists: { _table: 5 } },
    'validation-failed',
    '$.filter._exists._table',
    'expected the name of a table, or an object with its schema and name',
  ],
  [
    'rule',
    { _exists: { _table: {} } },
    'validation-failed',
    '$.filter._exists._table',
    'expected the name of a table, or an object with its schema and name',
  ],
  [
    'rule',
    { _exists: { _table: { name: 1 } } },
    'validation-failed',
    '$.filter._exists._table',
    'expected the name of a table, or an object with its schema and name',
  ],
  [
    'rule',
    { _exists: { _table: { name: 'article', schema: 1 } } },
    'validation-failed',
    '$.filter._exists._table',
    'expected the name of a table, or an object with its schema and name',
  ],
  [
    'rule',
    { _exists: { _table: { name: 'article', schema: 'x' } } },
    'validation-failed',
    '$.filter._exists._table',
    'table x.article is not tracked in this source, or was dropped',
  ],
  [
    'rule',
    { _exists: { _table: 'article', _where: { x: 1 } } },
    'validation-failed',
    '$.filter._exists._where.x',
    'table article has no column or relationship "x"',
  ],
  [
    'rule',
    { _exists: { _table: 'article', _where: null } },
    'validation-failed',
    '$.filter._exists._where',
    'expected a boolean expression, an object, but found null',
  ],
  [
    'rule',
    { id: { _ceq: 1 } },
    'validation-failed',
    '$.filter.id._ceq',
    'expected the name of a column, or a path such as ["$", "column"], but found 1',
  ],
  [
    'rule',
    { id: { _ceq: [] } },
    'validation-failed',
    '$.filter.id._ceq',
    'expected the name of a column, or a path such as ["$", "column"], but found a list',
  ],
  ['rule', { id: { _ceq: ['$'] } }, 'validation-failed', '$.filter.id._ceq', 'table author has no column "$"'],
  [
    'rule',
    { id: { _ceq: ['$', 1] } },
    'validation-failed',
    '$.filter.id._ceq',
    'expected the name of a column, or a path such as ["$", "column"], but found a list',
  ],
  [
    'rule',
    { id: { _ceq: 'unknown' } },
    'validation-failed',
    '$.filter.id._ceq',
    'table author has no column "unknown"',
  ],
  [
    'rule',
    { id: { _ceq: ['$', 'unknown'] } },
    'validation-failed',
    '$.filter.id._ceq',
    'table author has no column "unknown"',
  ],
  [
    'rule',
    { id: { _ceq: 'name' } },
    'validation-failed',
    '$.filter.id._ceq',
    'the columns "id" of type int4 and "name" of type text cannot be compared',
  ],
  [
    'rule',
    { id: { _ceq: ['articles', 'id'] } },
    'validation-failed',
    '$.filter.id._ceq',
    'table author has no object relationship "articles"',
  ],
  [
    'rule',
    { name: { _cgte: 'tags' } },
    'validation-failed',
    '$.filter.name._cgte',
    'the columns "name" of type text and "tags" of type _text cannot be compared',
  ],
  [
    'rule',
    { id: { $near: 1 } },
    'validation-failed',
    '$.filter.id.$near',
    'columns of type int4 have no operator "_near"; they have _eq, _neq, _gt, _lt, _gte, _lte, _in, _nin, _is_null',
  ],
  [
    'rule',
    { id: { _cnear: 1 } },
    'validation-failed',
    '$.filter.id._cnear',
    'columns of type int4 have no operator "_cnear"; they have _eq, _neq, _gt, _lt, _gte, _lte, _in, _nin, _is_null',
  ],
  ['rule', { $near: 1 }, 'validation-failed', '$.filter.$near', 'table author has no column or relationship "$near"'],
  [
    'ruleArticle',
    { rating: { _cgt: ['author', 'name'] } },
    'validation-failed',
    '$.filter.rating._cgt',
    'the columns "rating" of type numeric and "name" of type text cannot be compared',
  ],
  [
    'ruleArticle',
    { rating: { _cgt: ['writer', 'score'] } },
    'validation-failed',
    '$.filter.rating._cgt',
    'table article has no object relationship "writer"',
  ],
  [
    'ruleArticle',
    { author: { id: { _cgt: ['$', 'title'] } } },
    'validation-failed',
    '$.filter.author.id._cgt',
    'the columns "id" of type int4 and "title" of type text cannot be compared',
  ],
  [
    'rulePlace',
    { spot: { $st_d_within: { from: 1, distance: 1 } } },
    'parse-failed',
    '$.filter.spot.$st_d_within.from',
    'expected a GeoJSON geometry for type geometry, but found the number 1 that is not a GeoJSON geometry',
  ],
])('%s %j is rejected as %s at %s: %s', (name, json, code, path, message) => {
  const error = failure(json, contexts[name]);
  expect([error.code, error.path, error.message]).toEqual([code, path, message]);
});
