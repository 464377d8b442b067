/** Random row rules, and comparisons of columns: each as JSON and as SQL. */
import type { Random } from '../../random.ts';
import { type Column, values as columnValues, equal, literal, quote, type Relation } from './columns.ts';
import { type ComputedValue, DEFAULT_STEP, USER } from './functions.ts';

/** A row rule as metadata, and as SQL on the row with the given alias; `tables` are all tables. */
export interface Rule {
  readonly metadata: unknown;
  readonly sql: (alias: string, tables: readonly { readonly name: string }[]) => string;
}

const operators: Readonly<Record<string, string>> = {
  ...{ _eq: '=', _neq: '<>', _gt: '>', _lt: '<', _gte: '>=', _lte: '<=' },
};

/** An operator with its value, and the same in SQL after a column. */
export interface Comparison {
  readonly operator: string;
  readonly value: unknown;
  readonly sql: string;
}

export function comparison(random: Random, { kind, nullable }: Pick<Column, 'kind' | 'nullable'>): Comparison {
  const listed = columnValues[kind];
  if (nullable && random.oneIn(4)) {
    const value = random.oneIn(2);
    return { operator: '_is_null', value, sql: value ? 'is null' : 'is not null' };
  }
  if (random.oneIn(4)) {
    const value = random.some(listed, 2);
    const negated = random.oneIn(2);
    return {
      operator: negated ? '_nin' : '_in',
      value,
      sql: `${negated ? 'not ' : ''}in (${value.map(literal).join()})`,
    };
  }
  const ordered = kind !== 'bool' && kind !== 'level';
  const operator = random.pick(ordered ? Object.keys(operators) : ['_eq', '_neq']);
  const value = random.pick(listed);
  return { operator, value, sql: `${operators[operator]} ${literal(value)}` };
}

/** What a rule of a table can test. */
export interface Scope {
  readonly columns: readonly Column[];
  /** The object relationships. */
  readonly parents: readonly Relation[];
  readonly values: readonly ComputedValue[];
}

export function randomRule(random: Random, scope: Scope, depth = 2): Rule {
  const { columns, parents, values } = scope;
  if (depth > 0 && random.oneIn(3)) {
    const parts = [0, 1].map(() => randomRule(random, scope, depth - 1));
    const every = random.oneIn(2);
    return {
      metadata: { [every ? '_and' : '_or']: parts.map(({ metadata }) => metadata) },
      sql: (...at) => `(${parts.map(({ sql }) => `(${sql(...at)})`).join(every ? ' and ' : ' or ')})`,
    };
  }
  if (depth > 0 && random.oneIn(6)) {
    const inner = randomRule(random, scope, depth - 1);
    return { metadata: { _not: inner.metadata }, sql: (...at) => `not (${inner.sql(...at)})` };
  }
  if (random.oneIn(4)) return { metadata: {}, sql: () => 'true' };
  if (parents.length > 0 && random.oneIn(3)) {
    const { field, target, on } = random.pick(parents);
    const value = 1 + random.below(3);
    return {
      metadata: { [field]: { owner: { _lte: value } } },
      sql: (alias, tables) =>
        `exists (select from public.${quote(tables[target]?.name ?? '')} r where ${equal(on, alias, 'r')} and r.owner <= ${value})`,
    };
  }
  if (random.oneIn(3)) {
    return { metadata: { owner: { _eq: 'X-Service-User-Id' } }, sql: (alias) => `${alias}.owner = ${USER}` };
  }
  const computed = values.filter(({ step }) => step !== 'required');
  if (computed.length > 0 && random.oneIn(3)) {
    const { name, kind, sql: valueSql } = random.pick(computed);
    const { operator, value, sql } = comparison(random, { kind, nullable: true });
    return {
      metadata: { [name]: { [operator]: value } },
      sql: (alias) => `${valueSql(alias, DEFAULT_STEP, USER)} ${sql}`,
    };
  }
  const column = random.pick(columns);
  const { operator, value, sql } = comparison(random, column);
  return {
    metadata: { [column.name]: { [operator]: value } },
    sql: (alias) => `${alias}.${quote(column.name)} ${sql}`,
  };
}
