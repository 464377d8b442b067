import { describe, expect, test } from 'vitest';
import { errorsOf, rootOf, rowsOf } from '../../../test/support/model/planning.ts';
import { column, modelFixture, relationship, user } from '../../../test/support/model/sample-model.ts';
import type { ConnectionPlan } from '../plan/query.ts';

const { model, author, article, rules } = modelFixture();
const request = { model, role: user, relay: true };
const id = { by: { kind: 'column', column: column(article, 'id') }, direction: 'asc', nulls: 'last' };

const query = (text: string) =>
  `query ($a: String, $b: String, $n: Int, $m: Int) { article_connection${text} { __typename } }`;

function planned(text: string): ConnectionPlan {
  return rootOf(request, 'connection', query(text), variablesOf(text)).connection;
}

function variablesOf(text: string): Readonly<Record<string, unknown>> {
  return { ...(text.includes('$a') && { a: 'e30=' }), ...(text.includes('$n') && { n: 4 }) };
}

const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

describe('the rows', () => {
  test('are restricted by the row rule, without a limit or fields', () => {
    expect(planned('')).toEqual({
      rows: {
        table: article,
        where: rules.article,
        orderBy: [id],
        distinctOn: [],
        limit: undefined,
        rowLimit: 5,
        offset: undefined,
        fields: [],
      },
      cursor: [{ path: ['id'], type: column(article, 'id').type, nullable: false }],
      bound: undefined,
      page: undefined,
      parts: [{ kind: 'constant', alias: '__typename', value: 'articleConnection' }],
    });
  });

  test.each([
    ['without an order', '', ['id asc']],
    ['with an order', '(order_by: {title: desc})', ['title desc', 'id asc']],
    ['with an order that has the key', '(order_by: [{id: desc}, {title: asc}])', ['id desc', 'title asc']],
    ['with a repeated order', '(order_by: [{title: asc}, {title: desc}])', ['title asc', 'id asc']],
    ['with distinct columns', '(distinct_on: title)', ['title asc', 'id asc']],
    [
      'with distinct columns and their order',
      '(distinct_on: title, order_by: {title: desc})',
      ['title desc', 'id asc'],
    ],
  ])('%s are in a total order, which has the primary key', (_what, text, expected) => {
    const { orderBy } = planned(text).rows;
    expect(orderBy.map(({ by, direction }) => by.kind === 'column' && `${by.column.name} ${direction}`)).toEqual(
      expected,
    );
  });

  test('can be in the order of related columns of the same name', () => {
    const { rows, cursor: parts } = planned('(order_by: {author: {id: desc}})');
    expect(rows.orderBy.map(({ by }) => by.kind)).toEqual(['related', 'column']);
    expect(parts.map(({ path }) => path)).toEqual([['author', 'id'], ['id']]);
  });
});

describe('a page', () => {
  test.each([
    ['(first: 3)', { end: 'first', size: { kind: 'constant', value: 3 } }],
    ['(last: 3)', { end: 'last', size: { kind: 'constant', value: 3 } }],
    ['(first: $n)', { end: 'first', size: { kind: 'variable', name: 'n' } }],
    ['(first: null, last: 2)', { end: 'last', size: { kind: 'constant', value: 2 } }],
    ['(first: $m, last: 2)', { end: 'last', size: { kind: 'constant', value: 2 } }],
  ])('has the number of rows that %s gives', (text, expected) => {
    expect(planned(text).page).toEqual(expected);
  });

  test.each([
    ['first', '(first: -1)'],
    ['last', '(last: -1)'],
  ])('has no negative number of rows: %s', (name, text) => {
    expect(errorsOf(request, query(text))).toEqual([
      `$.selectionSet.article_connection.args.${name}: unexpected negative value; give zero or a positive number`,
    ]);
  });

  test.each([
    ['"first" and "last"', '(first: 1, last: 1)'],
    ['"first" and "last"', '(first: $n, last: 1)'],
    ['"after" and "before"', `(after: "${cursor({ id: 1 })}", before: "${cursor({ id: 1 })}")`],
    ['"after" and "before"', '(after: $a, before: "e30=")'],
  ])('has not both %s: %s', (names, text) => {
    expect(errorsOf(request, query(text), variablesOf(text))).toEqual([
      `$.selectionSet.article_connection.args: ${names} are not allowed at once`,
    ]);
  });
});

describe('the start of a page', () => {
  test.each([
    ['after', `(after: "${cursor({ id: 7 })}")`],
    ['before', `(before: "${cursor({ id: 7 })}")`],
  ])('is %s the values of a cursor', (side, text) => {
    expect(planned(text).bound).toEqual({ side, at: { values: ['7'] } });
  });

  test.each([
    ['after', '(after: $a)'],
    ['before', '(before: $a)'],
    ['before', '(after: $b, before: $a)'],
    ['before', '(after: null, before: $a)'],
  ])('is %s a cursor that is a variable, which is read when the plan runs', (side, text) => {
    expect(planned(text).bound).toEqual({
      side,
      at: { variable: 'a', path: '$.selectionSet.article_connection.args' },
    });
  });

  test('is no cursor of another order', () => {
    expect(errorsOf(request, query(`(order_by: {title: asc}, after: "${cursor({ id: 7 })}")`))).toEqual([
      '$.selectionSet.article_connection.args: the "after" or "before" cursor is invalid',
    ]);
  });
});

test('plans the members of connections, pages and edges under their response keys', () => {
  const text = `{
    article_connection {
      info: pageInfo { __typename start: startCursor endCursor hasNextPage hasPreviousPage }
      rows: edges { __typename cursor row: node { title key: id } }
    }
  }`;
  expect(rootOf(request, 'connection', text).connection.parts).toEqual([
    {
      kind: 'pageInfo',
      alias: 'info',
      members: [
        { kind: 'constant', alias: '__typename', value: 'PageInfo' },
        { kind: 'startCursor', alias: 'start' },
        { kind: 'endCursor', alias: 'endCursor' },
        { kind: 'hasNextPage', alias: 'hasNextPage' },
        { kind: 'hasPreviousPage', alias: 'hasPreviousPage' },
      ],
    },
    {
      kind: 'edges',
      alias: 'rows',
      members: [
        { kind: 'constant', alias: '__typename', value: 'articleEdge' },
        { kind: 'cursor', alias: 'cursor' },
        {
          kind: 'node',
          alias: 'row',
          fields: [
            { kind: 'column', alias: 'title', column: column(article, 'title'), path: undefined },
            { kind: 'nodeId', alias: 'key', table: article, key: [column(article, 'id')] },
          ],
        },
      ],
    },
  ]);
});

test('plans a connection of related rows', () => {
  const text = `{ node(id: "${cursor([1, 'public', 'author', 1])}") {
    ... on author { all: articles_connection(first: 2) { edges { cursor } } }
  } }`;
  expect(rowsOf(request, text).fields).toMatchObject([
    {
      kind: 'connection',
      alias: 'all',
      relationship: relationship(author, 'articles'),
      connection: { rows: { table: article, where: rules.article }, page: { end: 'first' } },
    },
  ]);
});
