import { ADMIN_ROLE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { errorsOf, rowsOf } from '../../../test/support/model/planning.ts';
import { column, modelFixture, relate, relationship, user } from '../../../test/support/model/sample-model.ts';
import { defaultInputLimits } from '../document/input-limits.ts';

const { model, author, article, rules } = modelFixture();
const request = { model, role: user };

function orderOf(text: string, variables?: Readonly<Record<string, unknown>>) {
  return rowsOf(request, `query ($o: [article_order_by!]) { article(order_by: ${text}) { id } }`, variables).orderBy;
}

const byId = { kind: 'column', column: column(article, 'id') };
const byTitle = { kind: 'column', column: column(article, 'title') };

describe('order_by', () => {
  test.each([
    ['asc', 'asc', 'last'],
    ['asc_nulls_first', 'asc', 'first'],
    ['asc_nulls_last', 'asc', 'last'],
    ['desc', 'desc', 'first'],
    ['desc_nulls_first', 'desc', 'first'],
    ['desc_nulls_last', 'desc', 'last'],
  ])('%s is %s with nulls %s', (written, direction, nulls) => {
    expect(orderOf(`{id: ${written}}`)).toEqual([{ by: byId, direction, nulls }]);
  });

  test('has the terms in the order of the request, from a list, an object or a variable', () => {
    const terms = [
      { by: byTitle, direction: 'asc', nulls: 'last' },
      { by: byId, direction: 'desc', nulls: 'first' },
    ];
    expect(orderOf('[{title: asc}, {id: desc}]')).toEqual(terms);
    expect(orderOf('{title: asc, id: desc}')).toEqual(terms);
    expect(orderOf('$o', { o: [{ title: 'asc', id: 'desc' }] })).toEqual(terms);
    expect(orderOf('$o', { o: { title: 'asc', id: 'desc' } })).toEqual(terms);
  });

  test('follows relationships under the row rules of their tables', () => {
    expect(orderOf('{author: {name: asc}}')).toEqual([
      {
        by: {
          kind: 'related',
          relationship: relationship(article, 'author'),
          filter: rules.author,
          key: { kind: 'column', column: column(author, 'name') },
        },
        direction: 'asc',
        nulls: 'last',
      },
    ]);
  });

  test('sorts by aggregates of related rows', () => {
    const shared = { kind: 'aggregate', relationship: relationship(author, 'articles'), filter: rules.article };
    const { orderBy } = rowsOf(
      request,
      '{ author(order_by: {articles_aggregate: {count: desc, max: {id: asc, title: desc}}}) { id } }',
    );
    expect(orderBy).toEqual([
      { by: { ...shared, function: 'count', column: undefined }, direction: 'desc', nulls: 'first' },
      { by: { ...shared, function: 'max', column: column(article, 'id') }, direction: 'asc', nulls: 'last' },
      { by: { ...shared, function: 'max', column: column(article, 'title') }, direction: 'desc', nulls: 'first' },
    ]);
  });

  describe('of relationships', () => {
    const nested = modelFixture();
    relate(nested.article, 'object', 'next', nested.article, ['id', 'id'], false);
    const path = '$.selectionSet.article.args.order_by';
    const levels = (count: number) => {
      const term = `${'{next: '.repeat(count)}{id: asc}${'}'.repeat(count)}`;
      return `{ article(order_by: ${term}) { id } }`;
    };

    test('is nested at most 100 levels deep', () => {
      const own = { model: nested.model, role: user };
      expect(rowsOf(own, levels(100)).orderBy).toHaveLength(1);
      expect(errorsOf(own, levels(101))).toEqual([`${path}: order_by is nested more than 100 levels deep`]);
    });
  });

  test('that is null is ignored', () => {
    expect(orderOf('{id: null, author: null, title: asc}')).toHaveLength(1);
    expect(orderOf('$o', {})).toEqual([]);
  });
});

describe('distinct_on', () => {
  const distinct = (text: string) => rowsOf(request, `{ article(${text}) { id } }`).distinctOn.map(({ name }) => name);

  test('contains the leading columns of the order, in any order', () => {
    expect(distinct('distinct_on: author_id')).toEqual(['author_id']);
    expect(distinct('distinct_on: [author_id, title], order_by: [{title: asc}, {author_id: asc}, {id: asc}]')).toEqual([
      'author_id',
      'title',
    ]);
    expect(distinct('order_by: {id: asc}')).toEqual([]);
  });

  test.each([
    'distinct_on: author_id, order_by: {id: asc}',
    'distinct_on: [author_id, id], order_by: {id: asc}',
    'distinct_on: author_id, order_by: [{author: {id: asc}}, {author_id: asc}]',
  ])('is rejected otherwise: %s', (text) => {
    expect(errorsOf(request, `{ article(${text}) { id } }`)).toEqual([
      '$.selectionSet.article.args: "distinct_on" columns must match initial "order_by" columns',
    ]);
  });

  test.each([
    ['distinct_on', `distinct_on: [${'id '.repeat(defaultInputLimits.distinctColumns + 1)}]`, 'columns'],
    ['order_by', `order_by: [${'{id: asc} '.repeat(defaultInputLimits.orderTerms + 1)}]`, 'terms'],
  ])('and order_by have a maximum of items: %s', (name, text, noun) => {
    expect(errorsOf(request, `{ article(${text}) { id } }`)).toEqual([
      expect.stringMatching(`^\\$\\.selectionSet\\.article\\.args\\.${name}: ${name} has more than \\d+ ${noun}`),
    ]);
  });

  test('can be a variable', () => {
    const query = 'query ($d: [article_select_column!]) { article(distinct_on: $d) { id } }';
    const { distinctOn } = rowsOf({ model, role: ADMIN_ROLE }, query, { d: ['words'] });
    expect(distinctOn).toEqual([column(article, 'words')]);
  });
});
