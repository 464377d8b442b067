/** SQL that adds, changes and drops columns. Pure. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { qualifiedName, sqlName, sqlText } from '../../../../shared/sql/sql-names.ts';

export type Identity = 'none' | 'always' | 'by default';

export interface ColumnDraft {
  readonly name: string;
  /** SQL. */
  readonly type: string;
  /** An SQL expression that converts the values to a new type. Empty for a cast by PostgreSQL. */
  readonly using: string;
  readonly nullable: boolean;
  /** An SQL expression. Empty for none. */
  readonly expression: string;
  readonly identity: Identity;
  readonly unique: boolean;
  readonly comment: string;
}

export const newColumn: ColumnDraft = {
  name: '',
  type: 'text',
  using: '',
  nullable: true,
  expression: '',
  identity: 'none',
  unique: false,
  comment: '',
};

export function columnDraft(column: ColumnInfo): ColumnDraft {
  return {
    name: column.name,
    type: column.sql_type,
    using: '',
    nullable: column.nullable,
    expression: column.generated ? '' : (column.default ?? ''),
    identity: column.identity ?? 'none',
    unique: false,
    comment: column.comment ?? '',
  };
}

/** Returns what a column lacks. Undefined when the SQL is complete. */
export function columnErrors({ name, type, expression, identity }: ColumnDraft): Record<string, string> {
  return {
    ...(name.trim() === '' && { name: 'Enter a name.' }),
    ...(type.trim() === '' && { type: 'Enter a type.' }),
    ...(identity !== 'none' && expression.trim() !== '' && { expression: 'An identity column has no default.' }),
  };
}

export function addColumnSql(table: TableName, draft: ColumnDraft): string {
  const { type, nullable, expression, identity, unique, comment } = draft;
  const name = draft.name.trim();
  const parts = [
    `alter table ${qualifiedName(table)} add column ${sqlName(name)} ${type.trim()}`,
    ...(identity === 'none' ? [] : [`generated ${identity} as identity`]),
    ...(expression.trim() === '' ? [] : [`default ${expression.trim()}`]),
    ...(nullable ? [] : ['not null']),
    ...(unique ? ['unique'] : []),
  ];
  return statements([parts.join(' '), ...(comment.trim() === '' ? [] : [commentSql(table, name, comment.trim())])]);
}

/** Returns the statements that change the column to the draft. Empty without a difference. */
export function changeColumnSql(table: TableName, column: ColumnInfo, draft: ColumnDraft): string {
  const before = columnDraft(column);
  const alter = (change: string): string =>
    `alter table ${qualifiedName(table)} alter column ${sqlName(column.name)} ${change}`;
  const name = typed(draft.name, column.name);
  const comment = typed(draft.comment, before.comment);
  const isRetyped = draft.type.trim() !== before.type;
  const using = draft.using.trim() === '' ? '' : ` using ${draft.using.trim()}`;
  const expression = draft.expression.trim();
  // A default of the former type may have no cast to the new one.
  const isReplaced = expression !== before.expression && before.expression !== '';
  return statements([
    ...(isReplaced ? [alter('drop default')] : []),
    ...(before.identity !== 'none' && draft.identity === 'none' ? [alter('drop identity')] : []),
    ...(isRetyped ? [alter(`type ${draft.type.trim()}${using}`)] : []),
    ...(draft.nullable === before.nullable ? [] : [alter(`${draft.nullable ? 'drop' : 'set'} not null`)]),
    ...(expression === before.expression || expression === '' ? [] : [alter(`set default ${expression}`)]),
    ...identityChange(before.identity, draft.identity).map(alter),
    ...(comment === before.comment ? [] : [commentSql(table, column.name, comment)]),
    ...(name === column.name ? [] : [renameColumnSql(table, column.name, name)]),
  ]);
}

function identityChange(before: Identity, after: Identity): readonly string[] {
  if (before === after || after === 'none') return [];
  return before === 'none' ? [`add generated ${after} as identity`] : [`set generated ${after}`];
}

function renameColumnSql(table: TableName, from: string, to: string): string {
  return `alter table ${qualifiedName(table)} rename column ${sqlName(from)} to ${sqlName(to)}`;
}

function commentSql(table: TableName, column: string, comment: string): string {
  return `comment on column ${qualifiedName(table)}.${sqlName(column)} is ${comment === '' ? 'null' : sqlText(comment)}`;
}

export function dropColumnSql(table: TableName, column: string, cascade: boolean): string {
  return statements([`alter table ${qualifiedName(table)} drop column ${sqlName(column)}${cascade ? ' cascade' : ''}`]);
}

/** Returns a text without spaces around it, unless it has them from before. */
export function typed(text: string, before: string): string {
  return text === before ? before : text.trim();
}

/** Joins statements, one on each line. */
export function statements(list: readonly string[]): string {
  return list.map((one) => `${one};`).join('\n');
}
