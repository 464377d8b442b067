/** Random values of rows that requests write: as variables, and as SQL. */
import type { Random } from '../../random.ts';
import { type Column, literal, quote, values } from '../tables/columns.ts';
import type { Table } from '../tables/schema.ts';
import { sqlName } from '../tables/sources.ts';

export interface Value {
  readonly column: Column;
  readonly value: unknown;
}

/** Returns the value of the owner that the permission to insert sets. */
export function presetOf({ columns, primaryKey }: Table, user: number): Value {
  const column = columns[primaryKey.length];
  if (column === undefined) throw new RangeError('a table has an owner');
  return { column, value: user };
}

/** Returns values of some columns, of all that need one. Some keys are taken or have no target. */
export function insertedValues(random: Random, table: Table, isNew: boolean): readonly Value[] {
  const chosen = random.some(table.columns, table.columns.length);
  return table.columns.flatMap((column): Value[] => {
    if (table.primaryKey.includes(column)) {
      const least = isNew && column.name === 'id' ? (column.keysTo ?? 0) - 1 : 1;
      return [{ column, value: least + random.below(isNew ? 20 : (column.keysTo ?? 1)) }];
    }
    if (column.name === 'owner' || (column.nullable && !chosen.includes(column))) return [];
    return [{ column, value: newValue(random, column) }];
  });
}

export function newValue(random: Random, { kind, nullable, name, keysTo }: Column): unknown {
  if (nullable && random.oneIn(5)) return null;
  if (keysTo !== undefined) return 1 + random.below(keysTo + (random.oneIn(5) ? 2 : 0));
  return name === 'owner' ? 1 + random.below(3) : random.pick(values[kind]);
}

/** Returns the values as an object by field. */
export function inputOf(given: readonly Value[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(given.map(({ column, value }) => [column.field, value]));
}

/** Returns an `insert` of a row, to whose `select` a condition may be added. */
export function insertSql(table: Table, given: readonly Value[], user: number): string {
  const all = [...given, presetOf(table, user)];
  return `insert into ${sqlName(table)} (${all.map(({ column }) => quote(column.name)).join()}) select ${cells(all)}`;
}

/** Returns an `insert` of several rows. */
export function insertManySql(table: Table, rows: readonly (readonly Value[])[], user: number): string {
  const lists = rows.map((given) => {
    const all = [...given, presetOf(table, user)];
    return cells(
      table.columns.map((column) => ({ column, value: all.find((one) => one.column === column)?.value ?? null })),
    );
  });
  const names = table.columns.map(({ name }) => quote(name)).join();
  return `insert into ${sqlName(table)} (${names}) values ${lists.map((list) => `(${list})`).join()}`;
}

function cells(given: readonly Value[]): string {
  return given.map(({ value, column }) => typed(column, value)).join();
}

export function assignments(given: readonly Value[]): string {
  return given.map(({ column, value }) => `${quote(column.name)} = ${typed(column, value)}`).join();
}

/** Returns the value in SQL. Without a type, a select of it would have the type text. */
export function typed({ kind }: Pick<Column, 'kind'>, value: unknown): string {
  return `${literal(value)}::${kind === 'level' ? 'text' : kind}`;
}
