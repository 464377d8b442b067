/** Random writes of a random schema: as GraphQL, and as SQL on the tables with the rules of the permission. */
import type { Random } from '../random.ts';
import { type Column, literal, quote, values } from './columns.ts';
import { randomCondition } from './rules.ts';
import { readable, type Schema, type Table } from './schema.ts';

export interface Write {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Changes the rows, and returns the number of them and of those that violate the check. */
  readonly sql: string;
}

export function randomWrite(random: Random, schema: Schema, role: 'one' | 'two'): Write {
  const table = random.pick(schema.tables);
  const names = schema.tables.map(({ name }) => name);
  const { rule, check } = table.grants[role];
  const target = `public.${quote(table.name)}`;
  const counts = `select count(*), count(*) filter (where (${check.sql('t', names)}) is not true) from changed t`;
  if (random.oneIn(3)) {
    const given = valuesOf(random, table, true);
    const fields = given.filter(({ column }) => column.name !== 'owner');
    const all: readonly Value[] = [...fields, { column: ownerOf(table), value: schema.user }];
    return {
      query: `mutation ($v: ${table.type}_insert_input!) { w: insert_${table.type}(objects: [$v]) { affected_rows } }`,
      variables: { v: objectOf(fields) },
      sql: `with changed as (insert into ${target} (${all.map(({ column }) => quote(column.name)).join()})
        values (${all.map(({ value }) => literal(value)).join()}) returning *) ${counts}`,
    };
  }
  const condition = randomCondition(random, readable(table, role));
  const where = `(${rule.sql('t', names)}) and (${condition.sql('t')})`;
  const variable = `$w: ${table.type}_bool_exp!`;
  if (random.oneIn(3)) {
    return {
      query: `mutation (${variable}) { w: delete_${table.type}(where: $w) { affected_rows } }`,
      variables: { w: condition.json },
      sql: `with changed as (delete from ${target} t where ${where} returning *) select count(*), 0 from changed`,
    };
  }
  const given = valuesOf(random, table, false);
  return {
    query: `mutation (${variable}, $v: ${table.type}_set_input!) { w: update_${table.type}(where: $w, _set: $v) { affected_rows } }`,
    variables: { w: condition.json, v: objectOf(given) },
    sql: `with changed as (update ${target} t set ${given.map(({ column, value }) => `${quote(column.name)} = ${literal(value)}`).join()}
      where ${where} returning *) ${counts}`,
  };
}

interface Value {
  readonly column: Column;
  readonly value: unknown;
}

function ownerOf(table: Table): Column {
  const owner = table.columns[1];
  if (owner === undefined) throw new RangeError('a table has an owner');
  return owner;
}

/** Returns values of some columns, of all that need one if `inserted`. Some keys are taken or have no target. */
function valuesOf(random: Random, table: Table, inserted: boolean): readonly Value[] {
  const chosen = random.some(table.columns.slice(1), table.columns.length);
  return table.columns.flatMap((column, index): Value[] => {
    if (index === 0) return inserted ? [{ column, value: 10 + random.below(20) }] : [];
    if (!chosen.includes(column) && !(inserted && !column.nullable)) return [];
    if (column.nullable && random.oneIn(5)) return [{ column, value: null }];
    if (column.name.startsWith('ref_')) return [{ column, value: 1 + random.below(16) }];
    return [{ column, value: index === 1 ? 1 + random.below(3) : random.pick(values[column.kind]) }];
  });
}

function objectOf(given: readonly Value[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(given.map(({ column, value }) => [column.field, value]));
}
