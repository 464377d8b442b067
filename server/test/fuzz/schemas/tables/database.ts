/** The statements that create random tables with rows, and one view for each role and table. */
import type { Random } from '../../random.ts';
import { changerSql } from './changers.ts';
import { type Column, type Kind, levels, literal, moods, quote, values } from './columns.ts';
import { type ComputedValue, DEFAULT_STEP, functionName, functionSql, type RootFunction, USER } from './functions.ts';
import {
  type Grant,
  ROWS,
  type Role,
  readable,
  readableValues,
  roles,
  type Schema,
  shuffled,
  type Table,
} from './schema.ts';
import { sqlName } from './sources.ts';

const sqlTypes: Readonly<Record<Kind, string>> = {
  ...{ int: 'int', text: 'text collate "C"', bool: 'bool', numeric: 'numeric(8,2)', date: 'date', mood: 'mood' },
  level: 'text collate "C" references level',
};

/** Returns the statements that create the tables with rows, and the views. */
export function schemaSql(schema: Schema, random: Random): string {
  const { tables } = schema;
  return `
    drop schema if exists seen_one, seen_two, seen_both cascade; drop schema public cascade; create schema public;
    create type mood as enum (${moods.map(literal).join()});
    create table level (value text collate "C" primary key); insert into level values ${levels.map((one) => `(${literal(one)})`).join()};
    ${tables.map((table) => tableSql(table, tables, random)).join('\n')}
    ${tables.map((table) => computedSql(table, tables)).join('\n')}
    ${schema.functions.map((one) => rootFunctionSql(one, tables)).join('\n')}
    ${schema.changers.map((one) => changerSql(one, tableOf(one, tables))).join('\n')}
    ${roles.map((role) => `create schema seen_${role}; ${tables.map((table) => viewSql(table, role, schema)).join('\n')}`).join('\n')}`;
}

/** Returns the name of the primary key of the table. */
export function primaryKeyName({ name }: Table): string {
  return `${name.replaceAll(' ', '_')}_key`;
}

function tableSql(table: Table, tables: readonly Table[], random: Random): string {
  const names = (columns: readonly string[]): string => columns.map(quote).join();
  const columns = table.columns.map(
    ({ name, kind, nullable }) => `${quote(name)} ${sqlTypes[kind]} ${nullable ? '' : 'not null'}`,
  );
  const foreignKeys = table.relations
    .filter(({ many }) => !many)
    .map(({ on, target }) => {
      const pairs = shuffled(random, on);
      return `foreign key (${names(pairs.map(([here]) => here))}) references ${quote(tables[target]?.name ?? '')} (${names(pairs.map(([, there]) => there))})`;
    });
  const key = `constraint ${quote(primaryKeyName(table))} primary key (${names(table.primaryKey.map(({ name }) => name))})`;
  const rows = Array.from({ length: ROWS }, (_, at) => {
    const cells = table.columns.map((column) => cell(random, table, column, at));
    return `(${cells.join()})`;
  });
  return `create table ${quote(table.name)} (${[...columns, key, ...foreignKeys].join()}); insert into ${quote(table.name)} values ${rows.join()};`;
}

/** Returns the value of the column in the row with that index. */
function cell(random: Random, { primaryKey }: Table, column: Column, at: number): unknown {
  if (primaryKey.includes(column)) {
    if (primaryKey.length === 1) return at + 1;
    return column.name === 'id' ? 1 + Math.floor(at / 2) : 1 + (at % 2);
  }
  if (column.nullable && random.oneIn(4)) return 'null';
  if (column.keysTo !== undefined) return 1 + random.below(column.keysTo);
  return column.name === 'owner' ? 1 + random.below(3) : literal(random.pick(values[column.kind]));
}

function computedSql(table: Table, tables: readonly Table[]): string {
  const row = sqlName(table);
  const values = table.values.map((value) =>
    functionSql(
      functionName(value, table),
      value,
      row,
      value.kind,
      (...given) => `${value.language === 'sql' ? 'select ' : ''}${value.sql(...given)}`,
    ),
  );
  const rows = table.rows.map((one) => {
    const target = sqlName({ name: tables[one.target]?.name ?? '' });
    return functionSql(functionName(one, table), one, row, `setof ${target}`, (here, step, user) => {
      return `select o.* from ${target} o where ${one.sql(here, 'o', step, user)}`;
    });
  });
  return [...values, ...rows].join('\n');
}

function rootFunctionSql(root: RootFunction, tables: readonly Table[]): string {
  const table = tableOf(root, tables);
  const type = sqlName(table);
  return functionSql(root.name, root, undefined, root.single ? type : `setof ${type}`, (_, step, user) => {
    return `select o.* from ${type} o where ${root.sql('o', step, user)} ${root.single ? lastOf(table, 'o') : ''}`;
  });
}

function tableOf({ target }: { readonly target: number }, tables: readonly Table[]): Table {
  const table = tables[target];
  if (table === undefined) throw new RangeError('a function returns rows of a table');
  return table;
}

/** Returns the clauses that select the last row by primary key. */
export function lastOf({ primaryKey }: Table, alias: string): string {
  return `order by ${primaryKey.map(({ name }) => `${alias}.${quote(name)} desc`).join()} limit 1`;
}

/** The name of the column of a view that shows whether the role sees the computed field of the row. */
export function seenName({ name }: ComputedValue): string {
  return `sees ${name}`;
}

function viewSql(table: Table, role: Role, { tables }: Schema): string {
  const granting = role === 'both' ? [table.grants.one, table.grants.two] : [table.grants[role]];
  const rules = granting.map(({ rule }) => `(${rule.sql('t', tables)})`);
  /** Returns the value where one of the permissions that contain it shows the row. */
  const masked = (contains: (grant: Grant) => boolean, value: string): string => {
    const given = granting.flatMap((grant, at) => (contains(grant) ? [rules[at]] : []));
    return given.length === granting.length ? value : `case when ${given.join(' or ')} then ${value} end`;
  };
  const columns = readable(table, role).map(({ name }, index) => {
    const seen = masked(({ columns }) => index < table.keys || columns.includes(name), `t.${quote(name)}`);
    return `${seen} as ${quote(name)}`;
  });
  const values = readableValues(table, role).flatMap((one) => {
    const contains = ({ computed }: Grant): boolean => computed.includes(one.name);
    const value = masked(contains, one.sql('t', DEFAULT_STEP, USER));
    return [`${value} as ${one.name}`, `${masked(contains, 'true')} as ${quote(seenName(one))}`];
  });
  return `create view seen_${role}.${quote(table.name)} as select ${[...columns, ...values].join()}
    from ${sqlName(table)} t where ${rules.join(' or ')};`;
}
