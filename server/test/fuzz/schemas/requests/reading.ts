/** The state of generating one request, and the names of what it reads. */
import type { Random } from '../../random.ts';
import { type Column, equal, quote } from '../tables/columns.ts';
import { type ComputedRows, DEFAULT_STEP, USER } from '../tables/functions.ts';
import type { Role, Schema, Table } from '../tables/schema.ts';

/** Features that some requests of a test run must use. */
export const features = [
  'action',
  'argument of a computed field',
  'changed table through a relationship',
  'composite key',
  'computed field',
  'condition on related rows',
  'distinct rows',
  'function',
  'namespace',
  'order by related rows',
  'order by the number of related rows',
  'relationship between sources',
  'relationship to a remote schema',
  'relationship to a table from another type',
  'relationship to an action',
  'rows of a computed field',
  'second source',
] as const;
export type Feature = (typeof features)[number];

export interface Reading {
  readonly random: Random;
  readonly schema: Schema;
  readonly role: Role;
  /** By name. */
  readonly variables: Map<string, { readonly type: string; readonly value: unknown }>;
  /** Definitions of fragments. */
  readonly fragments: string[];
  readonly uses: Set<Feature>;
  /** The number of aliases in the SQL. */
  aliases: number;
  /** The table whose changed rows are returned. Relationships that lead back to it are preferred. */
  changed: Table | undefined;
  /** Whether computed fields are left out. The product reads rows with computed fields by a statement after the change. */
  plain: boolean;
}

export function newReading(random: Random, schema: Schema, role: Role): Reading {
  return {
    random,
    schema,
    role,
    variables: new Map(),
    fragments: [],
    uses: new Set(),
    aliases: 0,
    changed: undefined,
    plain: false,
  };
}

export function nextAlias(reading: Reading): string {
  reading.aliases += 1;
  return `t${reading.aliases}`;
}

/** Returns the view of the rows that the role may see. */
export function view({ role }: Reading, { name }: Table): string {
  return `seen_${role}.${quote(name)}`;
}

/** Adds a variable, and returns its name with `$`. */
export function variable({ variables }: Reading, type: string, value: unknown): string {
  const name = `w${variables.size}`;
  variables.set(name, { type, value });
  return `$${name}`;
}

/** Rows that belong to a row: those of a relationship or of a computed field. */
export interface Related {
  readonly field: string;
  readonly target: Table;
  readonly kind: 'object' | 'array' | 'computed';
  /** Returns whether the row `other` of the target belongs to the row `here`. */
  readonly on: (here: string, other: string) => string;
}

/** Returns the relationships, to tables of the other source as well. */
export function relationsOf(reading: Reading, { relations }: Table): readonly Related[] {
  return relations.map(({ field, target, many, on }): Related => {
    return {
      field,
      target: tableAt(reading, target),
      kind: many ? 'array' : 'object',
      on: (...at) => equal(on, ...at),
    };
  });
}

/** Returns the rows by which the rows of the table can be compared and ordered. */
export function relatedTo(reading: Reading, table: Table): readonly Related[] {
  const near = relationsOf(reading, table).filter(({ target }) => target.source === table.source);
  const computed = table.rows.filter(({ step }) => step !== 'required').map((rows) => computedRows(reading, rows));
  return [...near, ...computed];
}

/** `step`: the argument in SQL. */
export function computedRows(reading: Reading, rows: ComputedRows, step = DEFAULT_STEP): Related {
  const on: Related['on'] = (here, other) => rows.sql(here, other, step, USER);
  return { field: rows.name, target: tableAt(reading, rows.target), kind: 'computed', on };
}

export function tableAt({ schema }: Reading, index: number): Table {
  const table = schema.tables[index];
  if (table === undefined) throw new RangeError('there is no such table');
  return table;
}

/** Returns a select of the rows that belong to the row `here`. `value` and `where` get their alias. */
export function selectRelated(
  reading: Reading,
  { target, on }: Related,
  here: string,
  value: (other: string) => string,
  where: (other: string) => string = () => 'true',
): string {
  const other = nextAlias(reading);
  return `(select ${value(other)} from ${view(reading, target)} ${other} where ${on(here, other)} and (${where(other)}))`;
}

/** Returns the cell of the row with that alias. */
export function cellOf(alias: string, { name }: Column): string {
  return `${alias}.${quote(name)}`;
}
