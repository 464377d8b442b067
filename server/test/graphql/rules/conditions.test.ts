/** Rules of conditions (`where`): operators, nesting, aggregates, and JSON paths. */
import { afterAll, beforeAll, describe } from 'vitest';
import { prove, type Rules, startRules, VF } from './rules-fixture.ts';

let rules: Rules;
beforeAll(async () => {
  rules = await startRules();
});
afterAll(() => rules?.stop());

const where = (condition: string) => `{ author(where: {${condition}}, order_by: {id: asc}) { id } }`;
const ids = (...list: number[]) => ({ data: { author: list.map((id) => ({ id })) } });

describe('an operator', () => {
  prove(
    () => rules,
    [
      ['_eq', where('id: {_eq: 2}'), ids(2)],
      ['_neq does not match null', where('bio: {_neq: "writes"}'), ids(3)],
      ['_nin does not match null', where('bio: {_nin: ["writes"]}'), ids(3)],
      ['_in of an empty list matches nothing', where('id: {_in: []}'), ids()],
      ['_nin of an empty list matches everything', where('bio: {_nin: []}'), ids(1, 2, 3)],
      ['_is_null', where('bio: {_is_null: true}'), ids(2)],
      ['_is_null: false', where('bio: {_is_null: false}'), ids(1, 3)],
      ['several of one column are all true', where('id: {_gt: 1, _lt: 3}'), ids(2)],
      ['_gt of text', where('name: {_gt: "Ann"}'), ids(2, 3)],
      ['_lte of jsonb', where('doc: {_lte: {}}'), { data: { author: [{ id: 2 }] } }],
      ['_gt of boolean', where('is_admin: {_gt: false}'), ids(1)],
      ['_in of boolean', where('is_admin: {_in: [true, false]}'), ids(1, 2)],
      ['_like', where('name: {_like: "%n%"}'), ids(1)],
      ['_like with an escape at its end', where('name: {_like: "%\\\\"}'), { code: 'bad-request' }],
      ['_nlike', where('name: {_nlike: "%n%"}'), ids(2, 3)],
      ['_ilike', where('name: {_ilike: "a%"}'), ids(1)],
      ['_nilike', where('name: {_nilike: "a%"}'), ids(2, 3)],
      ['_similar', where('name: {_similar: "(A|B)%"}'), ids(1, 2)],
      ['_nsimilar', where('name: {_nsimilar: "(A|B)%"}'), ids(3)],
      ['_regex', where('name: {_regex: "^[AB]"}'), ids(1, 2)],
      ['_nregex', where('name: {_nregex: "^[AB]"}'), ids(3)],
      ['_iregex', where('name: {_iregex: "^[ab]"}'), ids(1, 2)],
      ['_niregex', where('name: {_niregex: "^[ab]"}'), ids(3)],
      ['_eq of citext ignores case', where('mail: {_eq: "ann@EXAMPLE.com"}'), ids(1)],
      ['_like of citext', where('mail: {_like: "%BOB%"}'), ids(2)],
      ['_like of an enum type of PostgreSQL is absent', where('feel: {_like: "c%"}'), VF],
      ['_like of uuid is absent', where('ident: {_like: "c%"}'), VF],
      ['_contains of an array', where('tags: {_contains: ["y"]}'), ids(1, 2)],
      ['_contained_in of an array', where('tags: {_contained_in: ["y", "z"]}'), ids(2)],
      ['_eq of an array', where('tags: {_eq: ["y"]}'), ids(2)],
      ['_in of arrays', where('tags: {_in: [["y"], ["z"]]}'), ids(2)],
      ['_contained_in of an array with a null element', where('tags: {_contained_in: ["y", null]}'), ids(2)],
      ['_lt of an array with a null element', where('tags: {_lt: ["y", null]}'), ids(1, 2)],
      ['_in of arrays with a null element', where('tags: {_in: [["y"], ["z", null]]}'), ids(2)],
      ['_in of arrays cannot contain null', where('tags: {_in: [["y"], null]}'), VF],
      ['_contains of an array in text', where('nums: {_contains: "{2}"}'), ids(1, 2)],
      ['_contains of jsonb', where('doc: {_contains: {k: null}}'), ids(1)],
      ['_contained_in of jsonb', where('doc: {_contained_in: [1, 2, 3]}'), ids(2)],
      ['_has_key', where('doc: {_has_key: "a"}'), ids(1)],
      ['_has_keys_any', where('doc: {_has_keys_any: ["a", "b"]}'), ids(1)],
      ['_has_keys_all', where('doc: {_has_keys_all: ["a", "b"]}'), ids()],
      ['_cast of jsonb', where('doc: {_cast: {String: {_like: "%1, 2%"}}}'), ids(2)],
      ['_contains of json is absent', where('raw: {_contains: {}}'), VF],
      ['_eq of an enum table', where('color: {_eq: red}'), ids(1)],
      ['_neq of an enum table', where('color: {_neq: red}'), ids(2)],
      ['_in of an enum table', where('color: {_in: [red, blue]}'), ids(1, 2)],
      ['_nin of an enum table', where('color: {_nin: [red]}'), ids(2)],
      ['_is_null of an enum table', where('color: {_is_null: true}'), ids(3)],
      ['_gt of an enum table is absent', where('color: {_gt: red}'), VF],
      ['_like of an enum table is absent', where('color: {_like: "r%"}'), VF],
      ['_ancestor', where('path: {_ancestor: "top.one.two.three"}'), ids(1, 2)],
      ['_ancestor_any', where('path: {_ancestor_any: ["top.one", "other"]}'), ids(1)],
      ['_descendant', where('path: {_descendant: "top.one"}'), ids(1, 2)],
      ['_descendant_any', where('path: {_descendant_any: ["top.one.two"]}'), ids(2)],
      ['_matches', where('path: {_matches: "top.*{1}"}'), ids(1)],
      ['_matches_any', where('path: {_matches_any: ["*.two", "none"]}'), ids(2)],
      ['_matches_fulltext', where('path: {_matches_fulltext: "top & two"}'), ids(2)],
      [
        'that does not exist',
        where('id: {_none: 1}'),
        { ...VF, message: "field '_none' not found in type: 'Int_comparison_exp'" },
      ],
      ['_exists is for permissions only', where('_exists: {_table: {name: "author"}, _where: {}}'), VF],
      ['_ceq is for permissions only', where('id: {_ceq: "id"}'), VF],
      ['$eq is no name', where('id: {$eq: 1}'), VF],
      ['of a computed column of a domain', where('stars: {_gt: 1}'), ids(1)],
      ['of interval', where('span: {_is_null: false}'), ids()],
      ['of timestamps', where('at: {_lt: "2020-01-01"}'), ids()],
      ['of dates', where('born: {_eq: "2000-01-02"}'), ids(1)],
    ],
  );
});

describe('a condition', () => {
  prove(
    () => rules,
    [
      ['that is empty is true', '{ author(where: {}, order_by: {id: asc}) { id } }', ids(1, 2, 3)],
      ['on a column that is empty is true', where('id: {}'), ids(1, 2, 3)],
      ['on an array relationship that is empty matches rows with a related row', where('articles: {}'), ids(1, 2)],
      ['on an object relationship that is empty matches rows with a related row', where('detail: {}'), ids(1, 2)],
      ['_or without members is false', where('_or: []'), ids()],
      ['_and without members is true', where('_and: []'), ids(1, 2, 3)],
      ['_not of an empty condition is false', where('_not: {}'), ids()],
      ['_or with an empty member is true', where('_or: [{}]'), ids(1, 2, 3)],
      [
        '_and, _or and _not nest',
        where('_and: [{_or: [{id: {_eq: 1}}, {id: {_eq: 2}}]}, {_not: {name: {_eq: "Ann"}}}]'),
        ids(2),
      ],
      ['several members are all true', where('id: {_gt: 1}, name: {_eq: "Bob"}'), ids(2)],
      ['on an array relationship', where('articles: {title: {_eq: "two"}}'), ids(1)],
      ['on an array relationship that is negated', where('_not: {articles: {published: {_eq: true}}}'), ids(3)],
      ['on a relationship of a relationship', where('articles: {author: {detail: {checked: {_eq: false}}}}'), ids(2)],
      [
        'on a relationship applies the row rule of its target',
        where('articles: {title: {_eq: "two"}}'),
        ids(),
        { role: 'user' },
      ],
      [
        'on a column without permission is rejected',
        where('age: {_eq: 1}'),
        { ...VF, message: "field 'age' not found in type: 'author_bool_exp'" },
        { role: 'user' },
      ],
      [
        'on a relationship without permission is rejected',
        where('detail: {}'),
        { ...VF, message: "field 'detail' not found in type: 'author_bool_exp'" },
        { role: 'user' },
      ],
      [
        'on a column that does not exist is rejected',
        where('none: {_eq: 1}'),
        { ...VF, path: '$.selectionSet.author.args.where.none' },
      ],
      ['that is a list is rejected', '{ author(where: [{id: {_eq: 1}}]) { id } }', VF],
      ['that is a string is rejected', '{ author(where: "x") { id } }', VF],
      ['that names a column twice is rejected', where('id: {_eq: 1}, id: {_eq: 2}'), VF],
      ['on a column that is no object is rejected', where('id: 1'), VF],
    ],
  );
});

describe('a condition on an aggregate', () => {
  const articles = (condition: string) => where(`articles_aggregate: {${condition}}`);
  prove(
    () => rules,
    [
      ['count', articles('count: {predicate: {_eq: 2}}'), ids(1)],
      ['count of no rows', articles('count: {predicate: {_eq: 0}}'), ids(3)],
      ['count with a filter', articles('count: {predicate: {_eq: 1}, filter: {published: {_eq: true}}}'), ids(1, 2)],
      ['count of a column leaves out null', articles('count: {arguments: [content], predicate: {_eq: 0}}'), ids(2, 3)],
      ['count of one column, not in a list', articles('count: {arguments: content, predicate: {_gt: 1}}'), ids(1)],
      [
        'count of several distinct columns',
        articles('count: {arguments: [author_id, published], distinct: true, predicate: {_eq: 2}}'),
        ids(1),
      ],
      [
        'count of distinct values',
        articles('count: {arguments: [author_id], distinct: true, predicate: {_eq: 1}}'),
        ids(1, 2),
      ],
      ['bool_and', articles('bool_and: {arguments: published, predicate: {_eq: true}}'), ids(2)],
      ['bool_or', articles('bool_or: {arguments: published, predicate: {_eq: true}}'), ids(1, 2)],
      ['avg', articles('avg: {arguments: rating, predicate: {_eq: 2}}'), ids(1, 2)],
      ['max', articles('max: {arguments: rating, predicate: {_gt: 2}}'), ids(1)],
      ['min', articles('min: {arguments: rating, predicate: {_lt: 2}}'), ids(1)],
      ['sum', articles('sum: {arguments: rating, predicate: {_gte: 4}}'), ids(1)],
      ['stddev_samp', articles('stddev_samp: {arguments: rating, predicate: {_gt: 0}}'), ids(1)],
      ['var_samp', articles('var_samp: {arguments: rating, predicate: {_gt: 0}}'), ids(1)],
      ['corr', articles('corr: {arguments: {X: rating, Y: rating}, predicate: {_is_null: false}}'), ids(1)],
      ['covar_samp', articles('covar_samp: {arguments: {X: rating, Y: rating}, predicate: {_gt: 0}}'), ids(1)],
      ['an aggregate of int is absent', articles('sum: {arguments: likes, predicate: {_gt: 0}}'), VF],
      [
        'two functions are rejected',
        articles('count: {predicate: {_eq: 2}}, bool_or: {arguments: published, predicate: {_eq: true}}'),
        { ...VF, message: 'exactly one predicate should be specified' },
      ],
      ['no function is rejected', articles(''), { ...VF, message: 'exactly one predicate should be specified' }],
      ['a function without predicate is rejected', articles('count: {}'), VF],
      ['a role that may not aggregate has none', articles('count: {predicate: {_eq: 2}}'), VF, { role: 'user' }],
      [
        'several on one relationship are combined by _and',
        where(
          '_and: [{articles_aggregate: {count: {predicate: {_gt: 0}}}}, {articles_aggregate: {bool_and: {arguments: published, predicate: {_eq: true}}}}]',
        ),
        ids(2),
      ],
    ],
  );
});

describe('the path of a JSON value', () => {
  const path = (text: string, column = 'doc') =>
    `{ author_by_pk(id: 1) { value: ${column}(path: ${JSON.stringify(text)}) } }`;
  const value = (one: unknown) => ({ data: { author_by_pk: { value: one } } });
  prove(
    () => rules,
    [
      ['$ is the whole value', path('$', 'raw'), value({ z: 1, a: 2 })],
      ['a key', path('k'), value(null)],
      ['a key after $.', path('$.a.b'), value([1, { c: 'x' }])],
      ['a key after a dot', path('.a'), value({ b: [1, { c: 'x' }] })],
      ['an index', path('a.b[0]'), value(1)],
      ['an index and a key', path('$.a.b[1].c'), value('x')],
      ['a quoted key', path('["s p"]'), value(1)],
      ['a key in single quotes', path("$['s p']"), value(1)],
      ['a key with a hyphen', path('e-f'), value(2)],
      ['an index after $', '{ author_by_pk(id: 2) { value: doc(path: "$[1]") } }', value(2)],
      ['an index from the end', path('a.b[-1].c'), value('x')],
      ['a key that starts with a digit', path('a.1st'), value(null)],
      ['a missing element is null', path('$.a.none.more'), value(null)],
      ['an index of an object is null', path('$[5]'), value(null)],
      ['null is no path', '{ author_by_pk(id: 2) { value: doc(path: null) } }', value([1, 2])],
      ['a path of json', path('$.z', 'raw'), value(1)],
      ['an empty text is rejected', path(''), VF],
      ['an open bracket is rejected', path('a.b['), VF],
      ['a space is rejected', path('$.a b'), VF],
      ['two dots are rejected', path('a..b'), VF],
      ['a dot at the end is rejected', path('a.'), VF],
      ['other types have no path', path('x', 'name'), VF],
    ],
  );

  prove(
    () => rules,
    [
      [
        'in a variable',
        'query ($path: String) { author_by_pk(id: 1) { value: doc(path: $path) } }',
        value(1),
        { variables: { path: 'a.b[0]' } },
      ],
      [
        'in a variable that is invalid',
        'query ($path: String) { author_by_pk(id: 1) { value: doc(path: $path) } }',
        VF,
        { variables: { path: 'a.b[' } },
      ],
    ],
    'may be ',
  );
});
