/** SQL that adds, changes and drops columns. Pure. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { qualifiedName, sqlName, sqlText } from '../../../../shared/sql/sql-names.ts';
import { createEnumSql, type EnumTypeDraft, enumTypeErrors, enumTypeName } from './enum-sql.ts';
import { statements, typed } from './statements.ts';

export type Identity = 'none' | 'always' | 'by default';

export interface ColumnDraft {
  readonly name: string;
  /** SQL. */
  readonly type: string;
  /** The enum type that is created for the column, instead of `type`. */
  readonly enumType: EnumTypeDraft | null;
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
  enumType: null,
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
    enumType: null,
    using: '',
    nullable: column.nullable,
    expression: column.generated ? '' : (column.default ?? ''),
    identity: column.identity ?? 'none',
    unique: false,
    comment: column.comment ?? '',
  };
}

/** Returns what a column lacks. Undefined when the SQL is complete. */
export function columnErrors({ name, type, enumType, expression, identity }: ColumnDraft): Record<string, string> {
  return {
    ...(name.trim() === '' && { name: 'Enter a name.' }),
    ...(enumType === null && type.trim() === '' && { type: 'Enter a type.' }),
    ...(enumType !== null &&
      Object.fromEntries(Object.entries(enumTypeErrors(enumType)).map(([field, text]) => [`enumType.${field}`, text]))),
    ...(identity !== 'none' && expression.trim() !== '' && { expression: 'An identity column has no default.' }),
  };
}

/** Whether a name or the values of a new enum type are missing, so that there is no SQL. */
export function isIncomplete({ name, enumType }: ColumnDraft): boolean {
  const required = [name, ...(enumType === null ? [] : [enumType.name, enumType.values])];
  return required.some((text) => text.trim() === '');
}

export function addColumnSql(table: TableName, draft: ColumnDraft): string {
  const { enumType, nullable, expression, identity, unique, comment } = draft;
  const name = draft.name.trim();
  const parts = [
    `alter table ${qualifiedName(table)} add column ${sqlName(name)} ${typeOf(draft)}`,
    ...(identity === 'none' ? [] : [`generated ${identity} as identity`]),
    ...(expression.trim() === '' ? [] : [`default ${expression.trim()}`]),
    ...(nullable ? [] : ['not null']),
    ...(unique ? ['unique'] : []),
  ];
  return [
    ...(enumType === null ? [] : [createEnumSql(enumType)]),
    statements([parts.join(' '), ...(comment.trim() === '' ? [] : [commentSql(table, name, comment.trim())])]),
  ].join('\n');
}

/** Returns the type of the draft as SQL. */
export function typeOf({ type, enumType }: ColumnDraft): string {
  return enumType === null ? type.trim() : qualifiedName(enumTypeName(enumType));
}

/** Returns the statements that change the column to the draft. Empty without a difference. */
export function changeColumnSql(table: TableName, column: ColumnInfo, draft: ColumnDraft): string {
  const before = columnDraft(column);
  const alter = (change: string): string =>
    `alter table ${qualifiedName(table)} alter column ${sqlName(column.name)} ${change}`;
  const name = typed(draft.name, column.name);
  const comment = typed(draft.comment, before.comment);
  const type = typeOf(draft);
  const isRetyped = type !== before.type;
  // PostgreSQL converts no text to an enum type by itself.
  const cast = draft.enumType === null ? '' : `${sqlName(column.name)}::text::${type}`;
  const conversion = draft.using.trim() === '' ? cast : draft.using.trim();
  const using = conversion === '' ? '' : ` using ${conversion}`;
  const expression = draft.expression.trim();
  const isSame = expression === before.expression;
  // A default of the former type may have no cast to the new one.
  const isReplaced = (!isSame || draft.enumType !== null) && before.expression !== '';
  const value = isSame ? `(${expression})::text::${type}` : expression;
  const changes = statements([
    ...(isReplaced ? [alter('drop default')] : []),
    ...(before.identity !== 'none' && draft.identity === 'none' ? [alter('drop identity')] : []),
    ...(isRetyped ? [alter(`type ${type}${using}`)] : []),
    ...(draft.nullable === before.nullable ? [] : [alter(`${draft.nullable ? 'drop' : 'set'} not null`)]),
    ...((isSame && !isReplaced) || expression === '' ? [] : [alter(`set default ${value}`)]),
    ...identityChange(before.identity, draft.identity).map(alter),
    ...(comment === before.comment ? [] : [commentSql(table, column.name, comment)]),
    ...(name === column.name ? [] : [renameColumnSql(table, column.name, name)]),
  ]);
  return draft.enumType === null ? changes : [createEnumSql(draft.enumType), changes].join('\n');
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
