/** Conditions on computed fields, native queries, and columns that the caller sees in some rows. */
import { describe, expect, test } from 'vitest';
import { article, author, read, ruleContext, whereContext } from '../../../test/support/model/predicates.ts';
import type { Column, ComputedField, Table } from '../types/table.ts';
import { comparedAs, computedColumn, computedRows, type PredicateContext } from './context.ts';
import { parsePredicate } from './predicate.ts';

type Argument = readonly [from: 'caller' | 'row' | 'session', hasDefault: boolean];

function fieldOf(result: object, ...given: readonly Argument[]): ComputedField {
  const routine = { name: 'f', arguments: given.map(([from, hasDefault]) => ({ from, hasDefault })) };
  return { name: 'full', routine, comment: undefined, result } as unknown as ComputedField;
}

const { computedFields: _none, ...plain } = author;
const withField = (field: ComputedField): Table => ({ ...author, computedFields: new Map([[field.name, field]]) });
const column = { name: 'full', field: 'full', type: author.columns.get('name')?.type } as unknown as Column;
const scalar = { kind: 'scalar', column };
const rows = { kind: 'rows', table: article };
const needed: Argument = ['caller', false];
const optional: Argument = ['caller', true];
const own: readonly Argument[] = [
  ['row', false],
  ['session', false],
];

describe('a computed field is compared', () => {
  test.each<readonly [string, ComputedField, Column | undefined]>([
    ['without arguments of the caller', fieldOf(scalar, ...own), column],
    ['without arguments', fieldOf(scalar), column],
    ['where all arguments of the caller have defaults', fieldOf(scalar, ...own, optional, optional), column],
    ['not where one argument of the caller has no default', fieldOf(scalar, ...own, optional, needed), undefined],
    ['not where it returns rows', fieldOf(rows, ...own), undefined],
  ])('%s', (_case, field, compared) => {
    expect([comparedAs(field), computedColumn(withField(field), 'full')]).toEqual([compared, compared]);
  });

  test('by its name only', () => {
    expect([computedColumn(withField(fieldOf(scalar)), 'other'), computedColumn(plain, 'full')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('in a where argument', () => {
    expect(read({ full: { _eq: 'a' } }, whereContext(withField(fieldOf(scalar, ...own))))).toEqual([
      'full',
      '_eq',
      'a',
    ]);
  });
});

describe('the rows of a computed field are tested', () => {
  test.each<readonly [string, ComputedField, boolean]>([
    ['without arguments of the caller', fieldOf(rows, ...own), true],
    ['not where one argument of the caller has no default', fieldOf(rows, needed), false],
    ['not where it returns a scalar', fieldOf(scalar, ...own), false],
  ])('%s', (_case, field, tested) => {
    const found = computedRows(withField(field), 'full');
    expect(found).toEqual(tested ? { routine: field.routine, table: article } : undefined);
  });

  test('by its name only', () => {
    expect([computedRows(withField(fieldOf(rows)), 'other'), computedRows(plain, 'full')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('in a where argument, with the row rule of the role', () => {
    const rule = parsePredicate({ public: { _eq: true } }, whereContext(article));
    const context: PredicateContext = {
      ...whereContext(withField(fieldOf(rows, ...own))),
      access: () => ({ filter: rule }) as ReturnType<NonNullable<PredicateContext['access']>>,
    };
    expect(read({ full: { id: { _eq: 1 } } }, context)).toEqual({
      rows: 'f',
      where: {
        and: [
          ['public', '_eq', true],
          ['id', '_eq', 1],
        ],
      },
    });
  });

  test('in a rule, where a column of the outermost row is that of the root', () => {
    expect(read({ full: { id: { _ceq: ['$', 'id'] } } }, ruleContext(withField(fieldOf(rows, ...own))))).toEqual({
      rule: { rows: 'f', where: ['id', '_eq', 'root.id'] },
    });
  });
});

describe('a relationship to a native query', () => {
  const articles = author.relationships.get('articles');
  const native = {
    ...author,
    relationships: new Map([['articles', { ...articles, target: { ...articles?.target, native: {} } }]]),
  } as unknown as Table;

  test('cannot be used', () => {
    expect(() => parsePredicate({ articles: {} }, whereContext(native))).toThrow(
      '"articles" is a relationship to a native query, which a condition cannot use',
    );
  });

  test('has no aggregates', () => {
    expect(() => parsePredicate({ articles_aggregate: {} }, whereContext(native))).toThrow(
      'table author has no column or relationship "articles_aggregate"',
    );
  });
});

describe('a column that the caller sees in some rows', () => {
  const id = author.columns.get('id');
  const seen = parsePredicate({ score: { _gt: 1 } }, whereContext(author));
  const access = () => ({ filter: { kind: 'and', of: [] }, cells: new Map([[id, seen]]) });
  const context = { ...whereContext(author), access } as unknown as PredicateContext;

  test('is compared where the caller sees it', () => {
    expect(parsePredicate({ id: { _eq: 1 } }, context)).toMatchObject({ left: { column: { name: 'id' }, seen } });
  });

  test('does not limit other columns', () => {
    const { left } = parsePredicate({ name: { _eq: 'a' } }, context) as unknown as { readonly left: object };
    expect(Object.keys(left)).not.toContain('seen');
  });

  test('is aggregated where the caller sees it', () => {
    const json = { articles_aggregate: { count: { predicate: {} } } };
    expect(parsePredicate(json, context)).toMatchObject({ cells: new Map([[id, seen]]) });
  });
});

test('a path to a column does not lead through a native query', () => {
  const relationship = article.relationships.get('author');
  const native = {
    ...article,
    relationships: new Map([['author', { ...relationship, target: { ...relationship?.target, native: {} } }]]),
  } as unknown as Table;
  expect(() => parsePredicate({ rating: { _cgt: ['author', 'score'] } }, ruleContext(native))).toThrow(
    'table article has no object relationship "author"',
  );
});
