/** Random inserts, updates and deletes of one or several tables: root fields, and the same changes in SQL. */
import type { Random } from '../../random.ts';
import { type Column, literal, quote, type Relation } from '../tables/columns.ts';
import { primaryKeyName } from '../tables/database.ts';
import { DEFAULT_STEP, USER } from '../tables/functions.ts';
import type { Schema, Table } from '../tables/schema.ts';
import { rootField, sqlName, typeName } from '../tables/sources.ts';
import type { Condition } from './conditions.ts';
import {
  assignments,
  inputOf,
  insertedValues,
  insertManySql,
  insertSql,
  newValue,
  presetOf,
  type Value,
} from './values.ts';

export interface Writing {
  readonly random: Random;
  readonly schema: Schema;
  /** The user id of the session. */
  readonly user: number;
  readonly table: Table;
  /** The SQL condition on a row `t` that the role may change or delete. */
  readonly permitted: string;
  /** The condition of the request. */
  readonly condition: Condition;
}

/** One statement. */
export interface Step {
  readonly table: Table;
  /** The changed rows as `changed`. */
  readonly sql: string;
}

export interface Written {
  /** Declarations of the variables. */
  readonly declared: readonly string[];
  /** The root field with its arguments. */
  readonly field: string;
  /** The values of the variables. */
  readonly given: Readonly<Record<string, unknown>>;
  /** In order. */
  readonly steps: readonly Step[];
  /** The step whose rows are returned, the last one unless it is given. */
  readonly main?: Step;
}

export const writers = {
  insert: ({ random, table, user }: Writing): Written => {
    const given = insertedValues(random, table, true);
    return {
      declared: [`$v: ${typeName(table, '_insert_input')}!`],
      field: `${rootField(table, 'insert_')}(objects: [$v])`,
      given: { v: inputOf(given) },
      steps: [{ table, sql: `with changed as (${insertSql(table, given, user)} returning *)` }],
    };
  },

  /** A row with the row that it refers to, and rows that refer to it. One statement for each table. */
  nested: ({ random, schema, table, user }: Writing): Written => {
    const near = table.relations.filter(({ target }) => schema.tables[target]?.source === table.source);
    const one = (many: boolean): Relation | undefined => {
      const possible = near.filter((relation) => relation.many === many);
      return possible.length === 0 || random.oneIn(4) ? undefined : random.pick(possible);
    };
    const [parent, children] = [one(false), one(true)];
    const input: Record<string, unknown> = {};
    const steps: Step[] = [];
    let given = insertedValues(random, table, true);
    if (parent !== undefined) {
      const target = targetOf(schema, parent);
      const row = insertedValues(random, target, true);
      steps.push({ table: target, sql: `with changed as (${insertSql(target, row, user)} returning *)` });
      input[parent.field] = { data: inputOf(row) };
      given = given.filter(({ column }) => parent.on.every(([here]) => here !== column.name));
      Object.assign(input, inputOf(given));
      given = [...given, ...keyOf(table, parent, row, ([here, there]) => [here, there])];
    } else Object.assign(input, inputOf(given));
    const main = { table, sql: `with changed as (${insertSql(table, given, user)} returning *)` };
    steps.push(main);
    if (children !== undefined) {
      const target = targetOf(schema, children);
      const rows = Array.from({ length: 1 + random.below(2) }, () =>
        insertedValues(random, target, true).filter(({ column }) =>
          children.on.every(([, there]) => there !== column.name),
        ),
      );
      const whole = rows.map((row) => [...row, ...keyOf(target, children, given, ([here, there]) => [there, here])]);
      steps.push({ table: target, sql: `with changed as (${insertManySql(target, whole, user)} returning *)` });
      input[children.field] = { data: rows.map(inputOf) };
    }
    return {
      declared: [`$v: ${typeName(table, '_insert_input')}!`],
      field: `${rootField(table, 'insert_')}(objects: [$v])`,
      given: { v: input },
      ...{ steps, main },
    };
  },

  /** The SQL looks for the row, and inserts or updates it. */
  upsert: (writing: Writing): Written => {
    const { random, table, user, permitted, condition } = writing;
    const given = insertedValues(random, table, random.oneIn(3));
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
    const sql = `with inserted as (${insertSql(table, given, user)} ${isNew} returning *),
      updated as (${updated}), changed as (select * from inserted union all select * from updated)`;
    return {
      declared: [
        `$v: ${typeName(table, '_insert_input')}!`,
        ...(restricted ? [`$w: ${typeName(table, '_bool_exp')}!`] : []),
      ],
      field: `${rootField(table, 'insert_')}(objects: [$v], on_conflict: ${conflict})`,
      given: { v: inputOf(given), ...(restricted && { w: condition.json }) },
      steps: [{ table, sql }],
    };
  },

  update: (writing: Writing): Written => {
    const { random, table, permitted, condition } = writing;
    const columns = random.some(table.columns.slice(table.primaryKey.length), table.columns.length);
    const given = columns.map((column) => ({ column, value: newValue(random, column) }));
    const sql = `with changed as (update ${sqlName(table)} t set ${assignments(given)}
      where (${permitted}) and (${holds(writing)}) returning *)`;
    return {
      declared: [`$w: ${typeName(table, '_bool_exp')}!`, `$v: ${typeName(table, '_set_input')}!`],
      field: `${rootField(table, 'update_')}(where: $w, _set: $v)`,
      given: { w: condition.json, v: inputOf(given) },
      steps: [{ table, sql }],
    };
  },

  delete: (writing: Writing): Written => {
    const { table, permitted, condition } = writing;
    const sql = `with changed as (delete from ${sqlName(table)} t where (${permitted}) and (${holds(writing)}) returning *)`;
    return {
      declared: [`$w: ${typeName(table, '_bool_exp')}!`],
      field: `${rootField(table, 'delete_')}(where: $w)`,
      given: { w: condition.json },
      steps: [{ table, sql }],
    };
  },
};

function targetOf({ tables }: Schema, { target }: Relation): Table {
  const table = tables[target];
  if (table === undefined) throw new RangeError('there is no such table');
  return table;
}

/** Returns the values of the columns of `table` that refer to the row, or that it refers to. */
function keyOf(
  table: Table,
  { on }: Relation,
  row: readonly Value[],
  names: (pair: Relation['on'][number]) => readonly [column: string, ofRow: string],
): readonly Value[] {
  return on.map((pair) => {
    const [name, there] = names(pair);
    const column: Column | undefined = table.columns.find((one) => one.name === name);
    if (column === undefined) throw new RangeError('a key has columns of its table');
    return { column, value: row.find((one) => one.column.name === there)?.value ?? null };
  });
}

/** Returns whether the condition of the request holds for the row `t`, which has no computed fields. */
function holds({ table, condition }: Writing): string {
  const values = table.values.map((value) => `, ${value.sql('t', DEFAULT_STEP, USER)} as ${value.name}`);
  return `exists (select from (select t.*${values.join('')}) c where ${condition.sql('c')})`;
}
