/** SQL that renames, comments and drops tables and views. Pure. */
import type { TableKind } from '@joinery/metadata/api/sources/catalog';
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { qualifiedName, sqlName, sqlText } from '../../../../shared/sql/sql-names.ts';
import { statements, typed } from './statements.ts';

/** What SQL calls each kind. */
const nouns: Readonly<Record<TableKind, string>> = {
  table: 'table',
  partitioned_table: 'table',
  view: 'view',
  materialized_view: 'materialized view',
  foreign_table: 'foreign table',
};

export interface TableDraft {
  readonly schema: string;
  readonly name: string;
  readonly comment: string;
}

export function tableErrors({ schema, name }: TableDraft): Record<string, string> {
  return {
    ...(schema.trim() === '' && { schema: 'Enter a schema.' }),
    ...(name.trim() === '' && { name: 'Enter a name.' }),
  };
}

/** Returns the statements that change the table to the draft. Empty without a difference. */
export function changeTableSql(table: TableName, kind: TableKind, before: string | null, draft: TableDraft): string {
  const noun = nouns[kind];
  const [schema, name] = [typed(draft.schema, table.schema), typed(draft.name, table.name)];
  const comment = typed(draft.comment, before ?? '');
  const renamed = { schema: table.schema, name };
  return statements([
    ...(comment === (before ?? '')
      ? []
      : [`comment on ${noun} ${qualifiedName(table)} is ${comment === '' ? 'null' : sqlText(comment)}`]),
    ...(name === table.name ? [] : [`alter ${noun} ${qualifiedName(table)} rename to ${sqlName(name)}`]),
    ...(schema === table.schema ? [] : [`alter ${noun} ${qualifiedName(renamed)} set schema ${sqlName(schema)}`]),
  ]);
}

export function dropTableSql(table: TableName, kind: TableKind, cascade: boolean): string {
  return statements([`drop ${nouns[kind]} ${qualifiedName(table)}${cascade ? ' cascade' : ''}`]);
}
