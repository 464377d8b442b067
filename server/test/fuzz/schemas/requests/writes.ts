/** Random writes of a random schema: as GraphQL, and as SQL on the tables with the rules of the permission. */
import type { Random } from '../../random.ts';
import { type Column, literal, quote, values } from '../tables/columns.ts';
import { primaryKeyName, seenName } from '../tables/database.ts';
import { DEFAULT_STEP, USER } from '../tables/functions.ts';
import type { Schema, Table } from '../tables/schema.ts';
import { inNamespace, rootField, type Source, sqlName, typeName } from '../tables/sources.ts';
import { type Condition, randomCondition } from './conditions.ts';
import { newReading } from './reading.ts';
import { selection } from './selections.ts';

export interface Write {
  readonly kind: 'insert' | 'upsert' | 'update' | 'delete';
  readonly source: Source;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /**
   * Changes the rows, and returns the number of them, the number of those that violate the check, and their keys as JSON.
   * Rows to which a check relates have the state before the statement, as in the product and in Hasura v2.
   */
  readonly sql: string;
  /** Returns the JSON of the rows with these keys after the change as the request selects them; undefined if it does not. */
  readonly returned: ((keys: string) => string) | undefined;
}

interface Value {
  readonly column: Column;
  readonly value: unknown;
}

interface Writing {
  readonly random: Random;
  /** The user id of the session. */
  readonly user: number;
  readonly table: Table;
  /** The SQL condition on a row `t` that the role may change or delete. */
  readonly permitted: string;
  /** The condition of the request. */
  readonly condition: Condition;
}

export function randomWrite(random: Random, schema: Schema, role: 'one' | 'two', user: number): Write {
  const table = random.pick(schema.tables);
  const { rule, check } = table.grants[role];
  const reading = newReading(random, schema, role);
  const condition = randomCondition(reading, table);
  const writing = { random, user, table, permitted: rule.sql('t', schema.tables), condition };
  const kind = random.pick(['insert', 'upsert', 'update', 'delete'] as const);
  const { declared, field, given, sql } = writers[kind](writing);
  const returning = kind !== 'delete' && !random.oneIn(4) ? selection(reading, table, 'x', 0) : undefined;
  const result = `{ affected_rows ${returning === undefined ? '' : `returning { ${returning.graphql} }`} }`;
  const variables = [...declared, ...[...reading.variables].map(([name, { type }]) => `$${name}: ${type}`)].join(', ');
  const violated = kind === 'delete' ? 'false' : `(${check.sql('t', schema.tables)}) is not true`;
  const key = table.primaryKey.map(({ name }) => `${literal(name)}, ${quote(name)}`).join();
  return {
    ...{ kind, source: table.source },
    query: `mutation (${variables}) { ${inNamespace(table.source.namespace, `w: ${field} ${result}`)} } ${reading.fragments.join(' ')}`,
    variables: { ...given, ...Object.fromEntries([...reading.variables].map(([name, { value }]) => [name, value])) },
    sql: `${sql} select json_build_array(count(*), count(*) filter (where ${violated}), json_agg(json_build_object(${key}))) from changed t`,
    returned:
      returning && ((keys) => `select coalesce(json_agg(${returning.sql}), '[]') from ${changedRows(table, keys)} x`),
  };
}

/** Returns the rows with these keys and their computed fields, with the columns of a view. */
function changedRows(table: Table, keys: string): string {
  const values = table.values.map(
    (value) => `, ${value.sql('t', DEFAULT_STEP, USER)} as ${value.name}, true as ${quote(seenName(value))}`,
  );
  const key = table.primaryKey.map(({ name }) => quote(name));
  const types = key.map((name) => `${name} int`).join();
  return `(select t.*${values.join('')} from ${sqlName(table)} t
    where (${key.map((name) => `t.${name}`).join()}) in (select ${key.join()} from json_to_recordset(${literal(keys)}) k (${types})))`;
}

type Writer = (writing: Writing) => {
  /** Declarations of the variables. */
  readonly declared: readonly string[];
  /** The root field with its arguments. */
  readonly field: string;
  /** The values of the variables. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The changed rows as `changed`. */
  readonly sql: string;
};

const writers: Readonly<Record<Write['kind'], Writer>> = {
  insert: (writing) => {
    const { table, user } = writing;
    const given = insertedValues(writing, true);
    return {
      declared: [`$v: ${typeName(table, '_insert_input')}!`],
      field: `${rootField(table, 'insert_')}(objects: [$v])`,
      given: { v: objectOf(given) },
      sql: `with changed as (insert into ${sqlName(table)} ${rowOf(given, table, user)} returning *)`,
    };
  },

  /** The SQL looks for the row, and inserts or updates it. */
  upsert: (writing) => {
    const { random, table, user, permitted, condition } = writing;
    const given = insertedValues(writing, random.oneIn(3));
    const row: readonly Value[] = [...given, presetOf(table, user)];
    const isKey = ({ column }: Value): boolean => table.primaryKey.includes(column);
    const others = row.filter((value) => !isKey(value));
    const changed = random.oneIn(5) ? [] : random.some(others, 3);
    const restricted = random.oneIn(2);
    const conflict = `{ constraint: ${primaryKeyName(table)}, update_columns: [${changed.map(({ column }) => column.field).join(', ')}]${restricted ? ', where: $w' : ''} }`;
    const key = row
      .filter(isKey)
      .map(({ column, value }) => `t.${quote(column.name)} = ${literal(value)}`)
      .join(' and ');
    const where = `${key} and (${permitted}) and (${restricted ? holds(writing) : 'true'})`;
    const updated =
      changed.length === 0
        ? `select * from ${sqlName(table)} where false`
        : `update ${sqlName(table)} t set ${assignments(changed)} where ${where} returning *`;
    const isNew = `where not exists (select from ${sqlName(table)} t where ${key})`;
    return {
      declared: [
        `$v: ${typeName(table, '_insert_input')}!`,
        ...(restricted ? [`$w: ${typeName(table, '_bool_exp')}!`] : []),
      ],
      field: `${rootField(table, 'insert_')}(objects: [$v], on_conflict: ${conflict})`,
      given: { v: objectOf(given), ...(restricted && { w: condition.json }) },
      sql: `with inserted as (insert into ${sqlName(table)} ${rowOf(given, table, user)} ${isNew} returning *),
        updated as (${updated}), changed as (select * from inserted union all select * from updated)`,
    };
  },

  update: (writing) => {
    const { random, table, permitted, condition } = writing;
    const columns = random.some(table.columns.slice(table.primaryKey.length), table.columns.length);
    const given = columns.map((column) => ({ column, value: newValue(random, column) }));
    return {
      declared: [`$w: ${typeName(table, '_bool_exp')}!`, `$v: ${typeName(table, '_set_input')}!`],
      field: `${rootField(table, 'update_')}(where: $w, _set: $v)`,
      given: { w: condition.json, v: objectOf(given) },
      sql: `with changed as (update ${sqlName(table)} t set ${assignments(given)}
        where (${permitted}) and (${holds(writing)}) returning *)`,
    };
  },

  delete: (writing) => {
    const { table, permitted, condition } = writing;
    return {
      declared: [`$w: ${typeName(table, '_bool_exp')}!`],
      field: `${rootField(table, 'delete_')}(where: $w)`,
      given: { w: condition.json },
      sql: `with changed as (delete from ${sqlName(table)} t where (${permitted}) and (${holds(writing)}) returning *)`,
    };
  },
};

/** Returns whether the condition of the request holds for the row `t`, which has no computed fields. */
function holds({ table, condition }: Writing): string {
  const values = table.values.map((value) => `, ${value.sql('t', DEFAULT_STEP, USER)} as ${value.name}`);
  return `exists (select from (select t.*${values.join('')}) c where ${condition.sql('c')})`;
}

/** Returns the value of the owner that the permission to insert sets. */
function presetOf({ columns, primaryKey }: Table, user: number): Value {
  const column = columns[primaryKey.length];
  if (column === undefined) throw new RangeError('a table has an owner');
  return { column, value: user };
}

/** Returns values of some columns, of all that need one. Some keys are taken or have no target. */
function insertedValues({ random, table }: Writing, isNew: boolean): readonly Value[] {
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

function newValue(random: Random, { kind, nullable, name, keysTo }: Column): unknown {
  if (nullable && random.oneIn(5)) return null;
  if (keysTo !== undefined) return 1 + random.below(keysTo + (random.oneIn(5) ? 2 : 0));
  return name === 'owner' ? 1 + random.below(3) : random.pick(values[kind]);
}

function objectOf(given: readonly Value[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(given.map(({ column, value }) => [column.field, value]));
}

/** Returns the columns and a select of the values of a new row, to which a condition may be added. */
function rowOf(given: readonly Value[], table: Table, user: number): string {
  const all = [...given, presetOf(table, user)];
  const columns = all.map(({ column }) => quote(column.name)).join();
  return `(${columns}) select ${all.map(({ value, column }) => typed(column, value)).join()}`;
}

function assignments(given: readonly Value[]): string {
  return given.map(({ column, value }) => `${quote(column.name)} = ${typed(column, value)}`).join();
}

/** Returns the value in SQL. Without a type, a select of it would have the type text. */
function typed({ kind }: Column, value: unknown): string {
  return `${literal(value)}::${kind === 'level' ? 'text' : kind}`;
}
