/** SQL that undoes changes of the structure where the former state is known. Pure. Other SQL is undone as `undoSql` derives it. */
import type { ColumnInfo, TableKind } from '@joinery/metadata/api/sources/catalog';
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { qualifiedName, sqlName } from '../../../../shared/sql/sql-names.ts';
import { type ColumnDraft, changeColumnSql, columnDraft, dropColumnSql, typeOf } from './column-sql.ts';
import { dropTypeSql, enumTypeName } from './enum-sql.ts';
import { statements, typed } from './statements.ts';
import { changeTableSql, type TableDraft } from './table-sql.ts';

export function undoAddColumnSql(table: TableName, draft: ColumnDraft): string {
  return [dropColumnSql(table, draft.name.trim(), false), ...dropNewType(draft)].join('\n');
}

function dropNewType({ enumType }: ColumnDraft): readonly string[] {
  return enumType === null ? [] : [dropTypeSql(enumTypeName(enumType), false)];
}

/** Values that the conversion to the new type has changed are not restored. */
export function undoChangeColumnSql(table: TableName, column: ColumnInfo, draft: ColumnDraft): string {
  const before = columnDraft(column);
  const name = typed(draft.name, column.name);
  const expression = draft.expression.trim();
  const changed: ColumnInfo = {
    ...column,
    name,
    sql_type: typeOf(draft),
    nullable: draft.nullable,
    default: column.generated ? column.default : expression === '' ? null : expression,
    identity: draft.identity === 'none' ? null : draft.identity,
    comment: typed(draft.comment, before.comment),
  };
  const cast = draft.enumType === null ? '' : '::text';
  return [
    changeColumnSql(table, changed, { ...before, using: `${sqlName(name)}${cast}::${before.type}` }),
    ...dropNewType(draft),
  ].join('\n');
}

export function undoChangeTableSql(
  table: TableName,
  kind: TableKind,
  before: string | null,
  draft: TableDraft,
): string {
  const changed = { schema: typed(draft.schema, table.schema), name: typed(draft.name, table.name) };
  return changeTableSql(changed, kind, typed(draft.comment, before ?? ''), { ...table, comment: before ?? '' });
}

interface Defined {
  readonly name: string;
  /** As PostgreSQL prints it. */
  readonly definition: string;
}

export function restoreConstraintSql(table: TableName, { name, definition }: Defined): string {
  return statements([`alter table ${qualifiedName(table)} add constraint ${sqlName(name)} ${definition}`]);
}

/** Undefined for a new key whose name PostgreSQL chooses. */
export function undoPrimaryKeySql(table: TableName, name: string, replaced: Defined): string | undefined {
  if (name.trim() === '') return undefined;
  return statements([
    `alter table ${qualifiedName(table)}\n  drop constraint ${sqlName(name.trim())},\n  add constraint ${sqlName(replaced.name)} ${replaced.definition}`,
  ]);
}

export function restoreIndexSql({ definition }: Pick<Defined, 'definition'>): string {
  return statements([definition]);
}

/** `query`: the SQL of the view. */
export function restoreViewSql(view: TableName, query: string): string {
  return statements([`create view ${qualifiedName(view)} as\n${query.trim().replace(/;$/, '')}`]);
}
