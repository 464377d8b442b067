import { ADMIN_ROLE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { errorsOf, planOf, rowsOf } from '../../../test/support/model/planning.ts';
import { column, compare, modelFixture, relationship, user } from '../../../test/support/model/sample-model.ts';
import { everyRow } from '../../model/predicate/combinators.ts';

const { model, author, article, rules } = modelFixture();
const request = { model, role: user };
const admin = { model, role: ADMIN_ROLE };
const one = { kind: 'constant', value: 1 } as const;

describe('rows', () => {
  test('are restricted by the row rule, with the selected fields', () => {
    expect(rowsOf(request, '{ author { id called: name __typename } }')).toEqual({
      table: author,
      where: rules.author,
      orderBy: [],
      distinctOn: [],
      limit: undefined,
      rowLimit: 10,
      offset: undefined,
      fields: [
        { kind: 'column', alias: 'id', column: column(author, 'id'), path: undefined },
        { kind: 'column', alias: 'called', column: column(author, 'name'), path: undefined },
        { kind: 'constant', alias: '__typename', value: 'author' },
      ],
    });
  });

  test('are not restricted for admin', () => {
    expect(rowsOf(admin, '{ author { id } }')).toMatchObject({ where: everyRow, rowLimit: undefined });
  });

  test('are restricted by the row rule and the where argument', () => {
    expect(rowsOf(request, '{ author(where: {id: {_eq: 1}, name: {_is_null: true}}) { id } }').where).toMatchObject({
      kind: 'and',
      of: [
        rules.author,
        compare(column(author, 'id'), one),
        { kind: 'compare', left: { column: column(author, 'name') } },
      ],
    });
  });

  test('of a relationship in where are restricted by their own row rule', () => {
    expect(rowsOf(request, '{ author(where: {articles: {id: {_eq: 1}}}) { id } }').where).toEqual({
      kind: 'and',
      of: [
        rules.author,
        {
          kind: 'related',
          relationship: relationship(author, 'articles'),
          where: { kind: 'and', of: [rules.article, compare(column(article, 'id'), one)] },
        },
      ],
    });
  });

  test('accept variables in place of values and of list items', () => {
    const query =
      'query ($a: Int!, $b: [Int!]) { author(where: {id: {_eq: $a, _nin: $b, _in: [$a, 2]}}, limit: $a, offset: $a) { id } }';
    const rows = rowsOf(admin, query, { a: 1, b: [] });
    expect(rows.limit).toEqual({ kind: 'variable', name: 'a' });
    expect(rows.offset).toEqual({ kind: 'variable', name: 'a' });
    expect(rows.where).toMatchObject({
      of: [
        { right: { kind: 'variable', name: 'a' } },
        { right: { kind: 'variable', name: 'b' } },
        {
          right: {
            kind: 'list',
            items: [
              { kind: 'variable', name: 'a' },
              { kind: 'constant', value: 2 },
            ],
          },
        },
      ],
    });
  });

  test('settle whether an aggregate in where counts distinct rows', () => {
    const query =
      'query ($d: Boolean) { author(where: {articles_aggregate: {count: {distinct: $d, predicate: {_gt: 1}}}}) { id } }';
    expect(rowsOf(admin, query, { d: true }).where).toMatchObject({ kind: 'aggregated', distinct: true });
    expect(rowsOf(admin, query, { d: false }).where).toMatchObject({ kind: 'aggregated', distinct: false });
  });

  test('have no limit if it is null or an absent variable', () => {
    const limits = (text: string) => {
      const { limit, offset } = rowsOf(request, `query ($n: Int) { author(${text}) { id } }`);
      return [limit, offset];
    };
    expect(limits('limit: 5, offset: "3000000000"')).toEqual([
      { kind: 'constant', value: 5 },
      { kind: 'constant', value: 3_000_000_000 },
    ]);
    expect(limits('limit: null, offset: $n')).toEqual([undefined, undefined]);
    expect(rowsOf(request, '{ author(where: null, order_by: null, distinct_on: null) { id } }')).toMatchObject({
      where: rules.author,
      orderBy: [],
      distinctOn: [],
    });
  });

  test('reject a comparison with null', () => {
    const path = '$.selectionSet.author.args.where.id._eq';
    expect(errorsOf(request, '{ author(where: {id: {_eq: null}}) { id } }')[0]).toContain(
      `${path}: unexpected null value`,
    );
    expect(errorsOf(request, 'query ($a: Int) { author(where: {id: {_eq: $a}}) { id } }', { a: null })[0]).toContain(
      `${path}: unexpected null value`,
    );
  });

  test('reject a condition whose variable is not given', () => {
    const query = 'query ($a: Int) { author(where: {id: {_eq: $a}}) { id } }';
    expect(() => rowsOf(request, query, {})).toThrow('unexpected null value');
  });
});

describe('one row', () => {
  test('is restricted by its key and the row rule', () => {
    const [root] = planOf(request, 'query ($id: Int!) { author_by_pk(id: $id) { id } }', { id: 1 }).roots;
    expect(root).toMatchObject({
      kind: 'rows',
      shape: 'single',
      rows: {
        where: {
          kind: 'and',
          of: [rules.author, compare(column(author, 'id'), { kind: 'variable', name: 'id' })],
        },
        rowLimit: undefined,
      },
    });
  });

  test('cannot be selected by a null key', () => {
    const query = 'query ($id: Int = 1) { author_by_pk(id: $id) { id } }';
    expect(errorsOf(request, query, { id: null })).toEqual(["$.variables.id: unexpected null value for type 'Int'"]);
  });
});

describe('related rows', () => {
  test('of an array have arguments, the row rule and the row limit of their table', () => {
    const [field] = rowsOf(request, '{ author { articles(limit: 2, where: {id: {_eq: 1}}) { id } } }').fields;
    expect(field).toMatchObject({
      kind: 'array',
      alias: 'articles',
      relationship: relationship(author, 'articles'),
      rows: {
        table: article,
        where: { kind: 'and', of: [rules.article, compare(column(article, 'id'), one)] },
        limit: { kind: 'constant', value: 2 },
        rowLimit: 5,
        fields: [{ kind: 'column', alias: 'id' }],
      },
    });
  });

  test('of an object have the row rule and no limit', () => {
    const [field] = rowsOf(request, '{ article { author { id } } }').fields;
    expect(field).toMatchObject({
      kind: 'object',
      relationship: relationship(article, 'author'),
      rows: { where: rules.author, rowLimit: undefined },
    });
  });

  test('are counted under their row rule', () => {
    const [field] = rowsOf(request, '{ author { n: articles_aggregate { aggregate { count } } } }').fields;
    expect(field).toMatchObject({
      kind: 'aggregate',
      alias: 'n',
      aggregate: { rows: { where: rules.article, rowLimit: 5 }, parts: [{ kind: 'aggregate', alias: 'aggregate' }] },
    });
  });
});

describe('a path into json', () => {
  const pathOf = (text: string, variables?: Readonly<Record<string, unknown>>) => {
    const [field] = rowsOf(request, `query ($p: String) { author { profile${text} } }`, variables).fields;
    return field?.kind === 'column' ? field.path : field;
  };

  test('is planned as its elements, or as a variable', () => {
    expect(pathOf('(path: "$.a.b[0]")')).toEqual(['a', 'b', '0']);
    expect(pathOf('(path: $p)', { p: 'a' })).toEqual({ variable: 'p' });
    expect(pathOf('(path: $p)', {})).toBeUndefined();
    expect(pathOf('')).toBeUndefined();
  });

  test('that is invalid is rejected with the path of the argument', () => {
    expect(errorsOf(request, '{ author { profile(path: "$.a[") } }')[0]).toContain(
      '$.selectionSet.author.selectionSet.profile.args.path: ',
    );
  });
});
