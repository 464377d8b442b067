/** Rules of queries: arguments, aggregates and functions. */
import { afterAll, beforeAll, describe } from 'vitest';
import { PF, prove, type Rules, startRules, VF } from './rules-fixture.ts';

let rules: Rules;
beforeAll(async () => {
  rules = await startRules();
});
afterAll(() => rules?.stop());

const ids = (...list: number[]) => ({ data: { author: list.map((id) => ({ id })) } });
const articles = (...list: number[]) => ({ data: { article: list.map((id) => ({ id })) } });

describe('limit and offset', () => {
  const list = (args: string) => `{ author(order_by: {id: asc}, ${args}) { id } }`;
  prove(
    () => rules,
    [
      ['limit', list('limit: 1'), ids(1)],
      ['limit 0 gives no rows', list('limit: 0'), ids()],
      [
        'limit cannot be negative',
        list('limit: -1'),
        {
          ...VF,
          path: '$.selectionSet.author.args.limit',
        },
      ],
      ['limit cannot be a fraction', list('limit: 1.5'), VF],
      ['limit cannot be out of range', list('limit: 2147483648'), PF],
      [
        'limit cannot be negative in a variable',
        'query ($n: Int) { author(limit: $n) { id } }',
        VF,
        { variables: { n: -1 } },
      ],
      [
        'limit cannot be a fraction in a variable',
        'query ($n: Int) { author(limit: $n) { id } }',
        VF,
        { variables: { n: 1.5 } },
      ],
      [
        'limit cannot be out of range in a variable',
        'query ($n: Int) { author(limit: $n) { id } }',
        PF,
        { variables: { n: 2147483648 } },
      ],
      [
        'limit in a variable that is absent is no limit',
        'query ($n: Int) { author(order_by: {id: asc}, limit: $n) { id } }',
        ids(1, 2, 3),
      ],
      [
        'limit of a relationship',
        '{ author_by_pk(id: 1) { articles(limit: 1, order_by: {id: asc}) { id } } }',
        { data: { author_by_pk: { articles: [{ id: 1 }] } } },
      ],
      ['limit of a relationship cannot be negative', '{ author_by_pk(id: 1) { articles(limit: -1) { id } } }', VF],
      [
        'the limit of a permission is the largest',
        '{ author(order_by: {id: asc}, limit: 3) { id } }',
        ids(1, 2),
        { role: 'user' },
      ],
      [
        'a smaller limit than that of the permission',
        '{ author(order_by: {id: asc}, limit: 1) { id } }',
        ids(1),
        { role: 'user' },
      ],
      ['offset', list('offset: 2'), ids(3)],
      ['offset in text', list('offset: "2"'), ids(3)],
      ['offset beyond 32 bits', list('offset: 3000000000'), ids()],
      ['a negative offset is rejected', list('offset: -1'), VF],
      ['a negative offset in text is rejected', list('offset: "-1"'), VF],
      [
        'offset in a text of a variable',
        'query ($x: Int) { author(offset: $x, order_by: {id: asc}) { id } }',
        ids(3),
        { variables: { x: '2' } },
      ],
      [
        'offset beyond 32 bits in a variable',
        'query ($x: Int) { author(offset: $x, order_by: {id: asc}) { id } }',
        ids(),
        { variables: { x: 3000000000 } },
      ],
      [
        'a negative offset in a text of a variable is rejected',
        'query ($x: Int) { author(offset: $x) { id } }',
        VF,
        { variables: { x: '-2' } },
      ],
      [
        'an offset in a variable that is no number is rejected',
        'query ($x: Int) { author(offset: $x) { id } }',
        VF,
        { variables: { x: 'a' } },
      ],
      [
        'an offset in a list of a variable is rejected',
        'query ($x: Int) { author(offset: $x) { id } }',
        VF,
        { variables: { x: [2] } },
      ],
      [
        'a text in a variable of offset and limit is rejected',
        'query ($x: Int) { author(offset: $x, limit: $x) { id } }',
        VF,
        { variables: { x: '1' } },
      ],
      ['offset with limit', list('offset: 1, limit: 1'), ids(2)],
    ],
  );
});

describe('a row by its key', () => {
  prove(
    () => rules,
    [
      ['is null without a row', '{ author_by_pk(id: 9) { id } }', { data: { author_by_pk: null } }],
      [
        'is null if the row rule hides it',
        '{ article_by_pk(id: 2) { id } }',
        { data: { article_by_pk: null } },
        { role: 'user' },
      ],
      ['needs all columns of the key', '{ author_by_pk { id } }', VF],
      [
        'takes no other column',
        '{ author_by_pk(id: 1, name: "Ann") { id } }',
        { ...VF, message: "'author_by_pk' has no argument named 'name'" },
      ],
      [
        'is found beyond the limit of the permission',
        '{ author_by_pk(id: 3) { id } }',
        { data: { author_by_pk: { id: 3 } } },
        { role: 'user' },
      ],
      [
        'is absent for a role that may not select the key',
        '{ author_by_pk(id: 1) { __typename } }',
        { ...VF, message: "field 'author_by_pk' not found in type: 'query_root'" },
        { role: 'reader' },
      ],
    ],
  );
});

describe('distinct_on', () => {
  const rows = (args: string) => `{ article(${args}) { id } }`;
  const mismatch = { ...VF, message: '"distinct_on" columns must match initial "order_by" columns' };
  prove(
    () => rules,
    [
      [
        'takes the first row by order_by',
        rows('distinct_on: author_id, order_by: [{author_id: asc}, {id: desc}]'),
        articles(2, 3, 4),
      ],
      [
        'takes several columns in any order',
        rows('distinct_on: [published, author_id], order_by: [{author_id: asc}, {published: desc}, {id: asc}]'),
        articles(1, 2, 3, 4),
      ],
      [
        'must come first in order_by',
        rows('distinct_on: author_id, order_by: [{id: asc}, {author_id: asc}]'),
        mismatch,
      ],
      ['must be in order_by', rows('distinct_on: author_id, order_by: {id: asc}'), mismatch],
      [
        'must be in order_by with all columns',
        rows('distinct_on: [author_id, published], order_by: {author_id: asc}'),
        mismatch,
      ],
      [
        'cannot come after a relationship',
        rows('distinct_on: author_id, order_by: [{author: {id: asc}}, {author_id: asc}]'),
        mismatch,
      ],
      [
        'needs no order_by',
        '{ article_aggregate(distinct_on: author_id) { aggregate { count } } }',
        { data: { article_aggregate: { aggregate: { count: 3 } } } },
      ],
      ['takes columns only', rows('distinct_on: none'), VF],
      ['takes columns that the role may select', '{ article(distinct_on: published) { id } }', VF, { role: 'user' }],
    ],
  );
});

describe('order_by', () => {
  const rows = (order: string) => `{ author(order_by: ${order}) { id } }`;
  prove(
    () => rules,
    [
      ['asc has nulls last', rows('[{bio: asc}, {id: asc}]'), ids(3, 1, 2)],
      ['desc has nulls first', rows('[{bio: desc}, {id: asc}]'), ids(2, 1, 3)],
      ['asc_nulls_first', rows('{bio: asc_nulls_first}'), ids(2, 3, 1)],
      ['desc_nulls_last', rows('{bio: desc_nulls_last}'), ids(1, 3, 2)],
      ['a list has the order of its items', rows('[{is_admin: desc_nulls_last}, {id: desc}]'), ids(1, 2, 3)],
      ['an object has the order of its members', rows('{is_admin: asc, id: desc}'), ids(2, 1, 3)],
      ['an empty list is no order', '{ author(order_by: [], limit: 0) { id } }', ids()],
      ['an empty object is no order', '{ author(order_by: {}, limit: 0) { id } }', ids()],
      ['a direction that is null is ignored', rows('[{bio: null}, {id: desc}]'), ids(3, 2, 1)],
      ['a relationship that is null is ignored', rows('[{detail: null}, {id: desc}]'), ids(3, 2, 1)],
      ['an object relationship', rows('[{detail: {phone: desc_nulls_last}}]'), ids(2, 1, 3)],
      ['count of an array relationship', rows('{articles_aggregate: {count: desc}}'), ids(1, 2, 3)],
      ['max of an array relationship', rows('{articles_aggregate: {max: {likes: asc}}}'), ids(2, 1, 3)],
      ['several aggregates', rows('[{articles_aggregate: {count: asc, min: {id: asc}}}]'), ids(3, 2, 1)],
      [
        'a column without permission is absent',
        rows('{age: asc}'),
        { ...VF, message: "field 'age' not found in type: 'author_order_by'" },
        { role: 'user' },
      ],
      ['a direction that does not exist is rejected', rows('{id: up}'), VF],
      ['a direction in a string is rejected', rows('{id: "asc"}'), VF],
      [
        'a direction in a variable',
        'query ($by: order_by!) { author(order_by: {id: $by}) { id } }',
        ids(3, 2, 1),
        { variables: { by: 'desc' } },
      ],
      [
        'an order in a variable',
        'query ($by: [author_order_by!]) { author(order_by: $by) { id } }',
        ids(3, 2, 1),
        { variables: { by: { id: 'desc' } } },
      ],
      [
        'an aggregate of rows that the role sees',
        '{ author(order_by: [{articles_aggregate: {count: asc}}, {id: asc}]) { id } }',
        ids(3, 1),
        { role: 'user' },
      ],
      [
        'a relationship whose row is hidden is null',
        '{ article(order_by: {author: {name: asc}}) { id } }',
        articles(1, 3),
        { role: 'user' },
      ],
    ],
  );
});

describe('an aggregate', () => {
  const of = (members: string, args = '') => `{ article_aggregate${args} { aggregate { ${members} } } }`;
  const value = (aggregate: object) => ({ data: { article_aggregate: { aggregate } } });
  prove(
    () => rules,
    [
      ['counts rows', of('count'), value({ count: 4 })],
      ['counts rows without columns, whatever distinct is', of('count(distinct: true)'), value({ count: 4 })],
      ['counts rows where the column is not null', of('count(columns: author_id)'), value({ count: 3 })],
      ['counts distinct values', of('count(columns: [author_id], distinct: true)'), value({ count: 2 })],
      [
        'counts distinct rows of several columns',
        of('count(columns: [author_id, published], distinct: true)'),
        value({ count: 4 }),
      ],
      [
        'has sum, avg, max and min',
        of('sum { likes } avg { likes } max { likes title } min { likes title }'),
        value({
          sum: { likes: 35 },
          avg: { likes: 11.666666666666666 },
          max: { likes: 20, title: 'two' },
          min: { likes: 5, title: 'four' },
        }),
      ],
      [
        'has deviations and variances',
        of(
          'stddev { likes } stddev_pop { words } stddev_samp { words } variance { words } var_pop { words } var_samp { words }',
        ),
        value({
          stddev: { likes: 7.637626158259733 },
          stddev_pop: { words: 1.632993161855452 },
          stddev_samp: { words: 2 },
          variance: { words: 4 },
          var_pop: { words: 2.6666666666666665 },
          var_samp: { words: 4 },
        }),
      ],
      [
        'of no rows is null, and counts 0',
        of('count sum { likes } max { title }', '(where: {id: {_lt: 0}})'),
        value({ count: 0, sum: { likes: null }, max: { title: null } }),
      ],
      [
        'takes limit',
        of('count sum { likes }', '(limit: 2, order_by: {id: asc})'),
        value({ count: 2, sum: { likes: 30 } }),
      ],
      ['takes offset', of('count', '(offset: 3)'), value({ count: 1 })],
      ['takes where', of('count', '(where: {published: {_eq: true}})'), value({ count: 2 })],
      ['of boolean columns is absent', of('max { published }'), VF],
      ['of an enum table is absent', '{ author_aggregate { aggregate { max { color } } } }', VF],
      ['of text has no sum', of('sum { title }'), VF],
      [
        'may have aliases',
        '{ a: article_aggregate { x: aggregate { n: count } y: nodes { id } } }',
        { data: { a: { x: { n: 4 }, y: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }] } } },
      ],
      [
        'may have __typename',
        '{ article_aggregate { __typename aggregate { __typename max { __typename } } } }',
        {
          data: {
            article_aggregate: {
              __typename: 'article_aggregate',
              aggregate: { __typename: 'article_aggregate_fields', max: { __typename: 'article_max_fields' } },
            },
          },
        },
      ],
      [
        'ignores the limit of the permission, which its nodes have',
        '{ author_aggregate(order_by: {id: asc}) { aggregate { count } nodes { id } } }',
        { data: { author_aggregate: { aggregate: { count: 3 }, nodes: [{ id: 1 }, { id: 2 }] } } },
        { role: 'user' },
      ],
      [
        'is absent for a role that may not aggregate',
        '{ article_aggregate { aggregate { count } } }',
        { ...VF, message: "field 'article_aggregate' not found in type: 'query_root'" },
        { role: 'user' },
      ],
      [
        'of a relationship',
        '{ author(order_by: {id: asc}) { articles_aggregate { aggregate { count max { likes } } } } }',
        {
          data: {
            author: [
              { articles_aggregate: { aggregate: { count: 2, max: { likes: 20 } } } },
              { articles_aggregate: { aggregate: { count: 1, max: { likes: 5 } } } },
              { articles_aggregate: { aggregate: { count: 0, max: { likes: null } } } },
            ],
          },
        },
      ],
      [
        'of a relationship takes arguments',
        '{ author_by_pk(id: 1) { articles_aggregate(limit: 1, order_by: {likes: desc}) { aggregate { count } nodes { id } } } }',
        { data: { author_by_pk: { articles_aggregate: { aggregate: { count: 1 }, nodes: [{ id: 2 }] } } } },
      ],
    ],
  );
});

describe('a function', () => {
  const find = (args: string, rest = '') =>
    `{ article: find_articles(args: {${args}}, order_by: {id: asc}${rest}) { id } }`;
  prove(
    () => rules,
    [
      ['takes its arguments', find('part: "o"'), articles(1, 2, 4)],
      ['takes defaults for arguments that are not given', find('part: "o", highest: 10'), articles(1, 4)],
      ['takes null as an argument', find('part: null'), articles()],
      ['takes where, limit and offset', find('part: "o"', ', where: {id: {_gt: 1}}, limit: 1, offset: 1'), articles(4)],
      ['needs args if an argument has no default', '{ find_articles { id } }', VF],
      [
        'needs the arguments without default',
        find('lowest: 1'),
        { code: 'not-supported', message: 'Non default arguments cannot be omitted' },
      ],
      [
        'has no other arguments',
        find('part: "o", none: 1'),
        { ...VF, message: "field 'none' not found in type: 'find_articles_args'" },
      ],
      ['checks the kinds of its arguments', find('part: 5'), PF],
      ['takes a string for every argument', find('part: "o", lowest: "15"'), articles(2)],
      ['applies the row rule of its table', find('part: "o"'), articles(1), { role: 'user' }],
      [
        'has an aggregate',
        '{ find_articles_aggregate(args: {part: "o"}) { aggregate { count } } }',
        { data: { find_articles_aggregate: { aggregate: { count: 3 } } } },
      ],
      ['that returns one row is an object', '{ first_author { id } }', { data: { first_author: { id: 1 } } }],
      [
        'that returns one row takes a condition',
        '{ first_author(where: {id: {_eq: 2}}) { id } }',
        { data: { first_author: null } },
      ],
    ],
  );
});
