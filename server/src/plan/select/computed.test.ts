import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import { aggregateOf, errorsOf, rowsOf } from '../../../test/support/model/planning.ts';
import { argumentOf, compute, routineOf } from '../../../test/support/model/routines.ts';
import { column, compare, modelFixture, restrictCells, user } from '../../../test/support/model/sample-model.ts';

const { model, author, article, rules } = modelFixture();
const row = argumentOf('row', 'Int', { from: 'row' });
const optional = argumentOf('suffix', 'String', { hasDefault: true });
compute(author, routineOf('full_name', row, optional), 'String');
compute(author, routineOf('details', row), 'jsonb');
const recent = compute(
  author,
  routineOf('recent_articles', row, { ...optional, name: 'since', field: 'since' }),
  article,
);
const score = compute(article, routineOf('score', row, { ...optional, name: 'base', field: 'base' }), 'Int');
const request = { model, role: user };

const call = (name: string, ...values: readonly unknown[]) => ({
  schema: 'public',
  name,
  arguments: [
    { name: undefined, type: row.type, value: { kind: 'row' } },
    ...values.map((value) => ({ name: undefined, type: columnType('String'), value: { kind: 'constant', value } })),
  ],
});

describe('a computed field', () => {
  test('is a call with its arguments', () => {
    expect(rowsOf(request, '{ author { called: full_name(args: {suffix: "x"}) } }').fields).toEqual([
      { kind: 'computed', alias: 'called', call: call('full_name', 'x'), type: columnType('String'), path: undefined },
    ]);
  });

  test('of jsonb can have a path', () => {
    expect(rowsOf(request, '{ author { details(path: "a.b") } }').fields).toMatchObject([
      { kind: 'computed', call: call('details'), path: ['a', 'b'] },
    ]);
  });

  test('that returns rows has their row rule, arguments and fields', () => {
    expect(
      rowsOf(request, '{ author { r: recent_articles(args: {since: "x"}, limit: 2) { title } } }').fields,
    ).toMatchObject([
      {
        kind: 'computedRows',
        alias: 'r',
        rows: {
          table: article,
          from: call('recent_articles', 'x'),
          where: rules.article,
          limit: { value: 2 },
          rowLimit: 5,
          fields: [{ alias: 'title' }],
        },
      },
    ]);
  });

  test('is an argument of an aggregate function', () => {
    const [part] = aggregateOf(
      request,
      '{ article_aggregate { aggregate { max { s: score(args: {base: "x"}) } } } }',
    ).parts;
    expect(part).toMatchObject({
      members: [
        {
          function: 'max',
          members: [{ kind: 'computed', alias: 's', call: call('score', 'x'), type: { name: 'int4' } }],
        },
      ],
    });
  });

  test('has errors with the path of its argument', () => {
    expect(errorsOf(request, '{ author { details(path: "a[") } }')[0]).toContain(
      '$.selectionSet.author.selectionSet.details.args.path: ',
    );
  });
});

describe('order_by', () => {
  test('can have a computed field', () => {
    const { orderBy } = rowsOf(request, '{ article(order_by: {score: desc}) { id } }');
    expect(orderBy).toEqual([
      {
        by: { kind: 'column', column: score.result.kind === 'scalar' && score.result.column },
        direction: 'desc',
        nulls: 'first',
      },
    ]);
  });

  test('can have aggregates of the rows of a computed field, under their row rule', () => {
    const shared = { kind: 'computedAggregate', routine: recent.routine, filter: rules.article };
    const { orderBy } = rowsOf(
      request,
      '{ author(order_by: {recent_articles_aggregate: {count: asc, max: {id: desc}}}) { id } }',
    );
    expect(orderBy).toEqual([
      { by: { ...shared, function: 'count', column: undefined }, direction: 'asc', nulls: 'last' },
      { by: { ...shared, function: 'max', column: column(article, 'id') }, direction: 'desc', nulls: 'first' },
    ]);
  });
});

describe('the cells that a role sees', () => {
  const restricted = modelFixture();
  const { author: writer, article: text, invoice } = restricted;
  const own = { model: restricted.model, role: user };
  const seen = (name: string) => compare(column(writer, 'id'), { kind: 'session', name });
  restrictCells(writer, user, 'id', seen('x-id'));
  const ofAuthor = restrictCells(writer, user, 'name', seen('x-name'));
  const ofArticle = restrictCells(text, user, 'title', seen('x-title'));
  const ofInvoice = restrictCells(invoice, user, 'author_id', seen('x-invoice'));

  test.each([
    ['a column', '{ author { name } }', { kind: 'column', seen: seen('x-name') }],
    ['the key of a join', '{ author { homepage { url } } }', { kind: 'join' }],
  ])('are those of %s', (_what, query, expected) => {
    expect(rowsOf(own, query).fields[0]).toMatchObject(expected);
  });

  test('are those of the keys of a join on both sides', () => {
    expect(rowsOf(own, '{ author { invoices { total } } }').fields).toMatchObject([
      { kind: 'join', join: { target: { kind: 'table', cells: ofInvoice } } },
      { kind: 'phantom', column: column(writer, 'id'), seen: seen('x-id') },
    ]);
  });

  test.each([
    ['a column', '{ author(order_by: {name: asc}) { id } }', { by: { kind: 'column', seen: seen('x-name') } }],
    [
      'a related column',
      '{ article(order_by: {author: {name: asc}}) { id } }',
      { by: { kind: 'related', key: { seen: seen('x-name') } } },
    ],
    [
      'an aggregated column',
      '{ author(order_by: {articles_aggregate: {max: {title: asc}}}) { id } }',
      { by: { kind: 'aggregate', seen: seen('x-title') } },
    ],
  ])('are those of %s in order_by', (_what, query, expected) => {
    expect(rowsOf(own, query).orderBy).toMatchObject([expected]);
  });

  test('are those of counted and aggregated columns', () => {
    const query = '{ article_aggregate { aggregate { count(columns: title) max { title id } } } }';
    expect(aggregateOf(own, query)).toMatchObject({
      rows: { cells: ofArticle },
      parts: [
        { members: [{ kind: 'count', cells: ofArticle }, { members: [{ seen: seen('x-title') }, { alias: 'id' }] }] },
      ],
    });
  });

  test('are those of the key of one row, and of distinct rows', () => {
    expect(rowsOf(own, '{ author_by_pk(id: 1) { id } }').where).toMatchObject({
      of: [{}, { left: { column: column(writer, 'id'), seen: seen('x-id') } }],
    });
    expect(rowsOf(own, '{ author(distinct_on: name) { id } }')).toMatchObject({ cells: ofAuthor });
  });

  test('are all those of other columns', () => {
    const [field] = rowsOf(own, '{ article { id } }').fields;
    expect(field).not.toHaveProperty('seen');
    expect(rowsOf(own, '{ article(order_by: {id: asc}) { id } }').orderBy[0]?.by).not.toHaveProperty('seen');
    expect(rowsOf(request, '{ author { invoices { total } } }').fields[1]).not.toHaveProperty('seen');
  });
});
