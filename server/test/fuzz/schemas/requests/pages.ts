/** Parts of random reads: objects with fragments, arguments of lists and of functions, and aggregates. */
import { literal } from '../tables/columns.ts';
import { DEFAULT_STEP, type Routine } from '../tables/functions.ts';
import type { Table } from '../tables/schema.ts';
import { typeName } from '../tables/sources.ts';
import { randomCondition } from './conditions.ts';
import { randomOrder } from './orders.ts';
import { nextAlias, type Reading, variable, view } from './reading.ts';

/** A part of a selection and the SQL expression of its value. */
export interface Field {
  readonly name: string;
  readonly graphql: string;
  readonly sql: string;
}

export interface Selection {
  readonly graphql: string;
  readonly sql: string;
}

export interface Page {
  readonly graphql: string;
  /** Selects the rows as `alias`. */
  readonly from: (alias: string, base: (alias: string) => string) => string;
  readonly order: (alias: string) => string;
}

/** Returns an object with the fields in this order. Some are in a fragment on the type. */
export function objectOf(reading: Reading, type: string, fields: readonly Field[]): Selection {
  const written = fields.map(({ graphql }) => graphql);
  return {
    graphql: withFragments(reading, type, written),
    sql: `json_build_object(${fields.map(({ name, sql }) => `${literal(name)}, ${sql}`).join()})`,
  };
}

/** Puts the last fields into a fragment, sometimes. */
function withFragments({ random, fragments }: Reading, type: string, fields: readonly string[]): string {
  if (!random.oneIn(4)) return fields.join(' ');
  const at = random.below(fields.length);
  const [first, rest] = [fields.slice(0, at).join(' '), fields.slice(at).join(' ')];
  if (random.oneIn(2)) return `${first} ... on ${type} { ${rest} }`;
  fragments.push(`fragment f${fragments.length} on ${type} { ${rest} }`);
  return `${first} ...f${fragments.length - 1}`;
}

/** Returns the argument of a call; undefined to leave it out. */
function stepOf({ random }: Reading, { step }: Routine): number | null | undefined {
  if (step === 'none' || (step === 'optional' && random.oneIn(2))) return undefined;
  return random.oneIn(8) ? null : random.below(4);
}

/** Returns the argument `args` of a call, and `step` in SQL. */
export function callOf(
  reading: Reading,
  routine: Routine,
): { readonly given: readonly string[]; readonly step: string } {
  const step = stepOf(reading, routine);
  if (step === undefined) return { given: [], step: DEFAULT_STEP };
  const value = reading.random.oneIn(2) ? variable(reading, 'Int', step) : step;
  return { given: [`args: { step: ${value} }`], step: String(step) };
}

/** Returns the number, or a variable with this value. */
export function number(reading: Reading, value: number): string {
  return reading.random.oneIn(2) ? variable(reading, 'Int!', value) : String(value);
}

/** The arguments of a list, after those that are given. */
export function pageOf(reading: Reading, table: Table, before: readonly string[]): Page {
  const { random } = reading;
  const condition = random.oneIn(3) ? undefined : randomCondition(reading, table);
  const order = randomOrder(reading, table);
  const limit = random.oneIn(3) ? random.below(6) : undefined;
  const offset = random.oneIn(4) ? random.below(4) : undefined;
  const given = [
    ...before,
    ...(condition === undefined
      ? []
      : [`where: ${variable(reading, `${typeName(table, '_bool_exp')}!`, condition.json)}`]),
    ...order.given,
    ...(limit === undefined ? [] : [`limit: ${number(reading, limit)}`]),
    ...(offset === undefined ? [] : [`offset: ${number(reading, offset)}`]),
  ];
  const page = `${limit === undefined ? '' : `limit ${limit}`} ${offset === undefined ? '' : `offset ${offset}`}`;
  return {
    graphql: `(${given.join(', ')})`,
    order: order.terms,
    from: (alias, base) => {
      const one = nextAlias(reading);
      const where = `(${base(one)}) and (${condition?.sql(one) ?? 'true'})`;
      return `(select ${order.distinct(one)} * from ${view(reading, table)} ${one} where ${where} order by ${order.terms(one)} ${page}) ${alias}`;
    },
  };
}
