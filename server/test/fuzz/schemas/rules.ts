/** Random row rules, and random conditions of requests: each as JSON and as SQL. */
import type { Random } from '../random.ts';
import { type Column, literal, quote, values } from './columns.ts';

/** A row rule as metadata, and as SQL on the row with the given alias; `tables` has the names of all tables. */
export interface Rule {
  readonly metadata: unknown;
  readonly sql: (alias: string, tables: readonly string[]) => string;
}

/** A condition of a request as JSON, and as SQL on the row with the given alias. */
export interface Condition {
  readonly json: unknown;
  readonly sql: (alias: string) => string;
}

const operators: Readonly<Record<string, string>> = {
  ...{ _eq: '=', _neq: '<>', _gt: '>', _lt: '<', _gte: '>=', _lte: '<=' },
};

interface Comparison {
  readonly operator: string;
  readonly value: unknown;
  readonly sql: string;
}

function comparison(random: Random, { kind, nullable }: Column): Comparison {
  const listed = values[kind];
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

/** `user`: the user id of the session, which the SQL contains. */
export function randomRule(random: Random, columns: readonly Column[], user: number, depth = 2): Rule {
  if (depth > 0 && random.oneIn(3)) {
    const parts = [0, 1].map(() => randomRule(random, columns, user, depth - 1));
    const every = random.oneIn(2);
    return {
      metadata: { [every ? '_and' : '_or']: parts.map(({ metadata }) => metadata) },
      sql: (...at) => `(${parts.map(({ sql }) => `(${sql(...at)})`).join(every ? ' and ' : ' or ')})`,
    };
  }
  if (depth > 0 && random.oneIn(6)) {
    const inner = randomRule(random, columns, user, depth - 1);
    return { metadata: { _not: inner.metadata }, sql: (...at) => `not (${inner.sql(...at)})` };
  }
  if (random.oneIn(4)) return { metadata: {}, sql: () => 'true' };
  const references = columns.filter(({ name }) => name.startsWith('ref_'));
  if (references.length > 0 && random.oneIn(3)) {
    const reference = random.pick(references).name;
    const parent = Number(reference.slice('ref_'.length));
    const value = 1 + random.below(3);
    return {
      metadata: { [`parent_${parent}`]: { owner: { _lte: value } } },
      sql: (alias, tables) =>
        `exists (select from public.${quote(tables[parent] ?? '')} r where r.id = ${alias}.${quote(reference)} and r.owner <= ${value})`,
    };
  }
  if (random.oneIn(3)) {
    return { metadata: { owner: { _eq: 'X-Service-User-Id' } }, sql: (alias) => `${alias}.owner = ${user}` };
  }
  const column = random.pick(columns);
  const { operator, value, sql } = comparison(random, column);
  return {
    metadata: { [column.name]: { [operator]: value } },
    sql: (alias) => `${alias}.${quote(column.name)} ${sql}`,
  };
}

export function randomCondition(random: Random, columns: readonly Column[], depth = 2): Condition {
  if (depth > 0 && random.oneIn(3)) {
    const parts = [0, 1].map(() => randomCondition(random, columns, depth - 1));
    const every = random.oneIn(2);
    return {
      json: { [every ? '_and' : '_or']: parts.map(({ json }) => json) },
      sql: (alias) => `(${parts.map(({ sql }) => `(${sql(alias)})`).join(every ? ' and ' : ' or ')})`,
    };
  }
  if (depth > 0 && random.oneIn(5)) {
    const inner = randomCondition(random, columns, depth - 1);
    return { json: { _not: inner.json }, sql: (alias) => `not (${inner.sql(alias)})` };
  }
  const column = random.pick(columns);
  const { operator, value, sql } = comparison(random, column);
  return { json: { [column.field]: { [operator]: value } }, sql: (alias) => `${alias}.${quote(column.name)} ${sql}` };
}
