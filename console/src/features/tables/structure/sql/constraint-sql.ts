/** SQL that adds, renames, validates and drops keys and checks. Pure. */
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { nameList, qualifiedName, sqlName } from '../../../../shared/sql/sql-names.ts';
import { statements } from './statements.ts';

/** Adds `constraint <name>` only for a given name; otherwise PostgreSQL chooses one. */
function named(name: string): string {
  return name.trim() === '' ? '' : `constraint ${sqlName(name.trim())} `;
}

function addSql(table: TableName, name: string, definition: string): string {
  return `alter table ${qualifiedName(table)} add ${named(name)}${definition}`;
}

export interface KeyDraft {
  readonly name: string;
  readonly columns: readonly string[];
}

export function keyErrors({ columns }: KeyDraft): Record<string, string> {
  return columns.length === 0 ? { columns: 'Select at least one column.' } : {};
}

/** `replaced` is the constraint of the present primary key. */
export function primaryKeySql(table: TableName, { name, columns }: KeyDraft, replaced: string | undefined): string {
  const add = `add ${named(name)}primary key (${nameList(columns)})`;
  if (replaced === undefined) return statements([`alter table ${qualifiedName(table)} ${add}`]);
  return statements([`alter table ${qualifiedName(table)}\n  drop constraint ${sqlName(replaced)},\n  ${add}`]);
}

export interface UniqueKeyDraft extends KeyDraft {
  /** Whether two nulls count as equal. */
  readonly nullsEqual: boolean;
}

export function uniqueKeySql(table: TableName, { name, columns, nullsEqual }: UniqueKeyDraft): string {
  return statements([addSql(table, name, `unique ${nullsEqual ? 'nulls not distinct ' : ''}(${nameList(columns)})`)]);
}

export const foreignKeyActions = ['no action', 'restrict', 'cascade', 'set null', 'set default'] as const;
export type ForeignKeyAction = (typeof foreignKeyActions)[number];

export interface ForeignKeyDraft {
  readonly name: string;
  readonly schema: string;
  readonly table: string;
  /** Columns of the table with the columns that they reference. */
  readonly pairs: readonly { readonly from: string; readonly to: string }[];
  readonly onUpdate: ForeignKeyAction;
  readonly onDelete: ForeignKeyAction;
  readonly deferrable: boolean;
  /** Whether present rows are not checked. */
  readonly notValid: boolean;
  /** Whether an index on the columns is created too. */
  readonly index: boolean;
}

export function foreignKeyErrors({ schema, table, pairs }: ForeignKeyDraft): Record<string, string> {
  return {
    ...((schema === '' || table === '') && { table: 'Select the table that the key references.' }),
    ...(pairs.every(({ from, to }) => from !== '' && to !== '') && pairs.length > 0
      ? {}
      : { pairs: 'Select both columns of each pair.' }),
  };
}

export function foreignKeySql(table: TableName, draft: ForeignKeyDraft): string {
  const { name, schema, table: target, pairs, onUpdate, onDelete, deferrable, notValid, index } = draft;
  const from = nameList(pairs.map((pair) => pair.from));
  const definition = [
    `foreign key (${from})`,
    `references ${qualifiedName({ schema, name: target })} (${nameList(pairs.map(({ to }) => to))})`,
    ...(onUpdate === 'no action' ? [] : [`on update ${onUpdate}`]),
    ...(onDelete === 'no action' ? [] : [`on delete ${onDelete}`]),
    ...(deferrable ? ['deferrable initially deferred'] : []),
    ...(notValid ? ['not valid'] : []),
  ].join(' ');
  return statements([
    addSql(table, name, definition),
    ...(index ? [`create index on ${qualifiedName(table)} (${from})`] : []),
  ]);
}

export interface CheckDraft {
  readonly name: string;
  /** SQL. */
  readonly expression: string;
  readonly notValid: boolean;
}

export function checkErrors({ expression }: CheckDraft): Record<string, string> {
  return expression.trim() === '' ? { expression: 'Enter a condition.' } : {};
}

export function checkSql(table: TableName, { name, expression, notValid }: CheckDraft): string {
  return statements([addSql(table, name, `check (${expression.trim()})${notValid ? ' not valid' : ''}`)]);
}

export function validateSql(table: TableName, constraint: string): string {
  return statements([`alter table ${qualifiedName(table)} validate constraint ${sqlName(constraint)}`]);
}

export function dropConstraintSql(table: TableName, constraint: string, cascade: boolean): string {
  return statements([
    `alter table ${qualifiedName(table)} drop constraint ${sqlName(constraint)}${cascade ? ' cascade' : ''}`,
  ]);
}
