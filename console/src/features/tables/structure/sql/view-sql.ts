/** SQL that replaces the query of a view. Pure. */
import type { TableKind } from '@joinery/metadata/api/sources/catalog';
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { qualifiedName } from '../../../../shared/sql/sql-names.ts';
import { commentSql } from './name-sql.ts';
import { statements } from './statements.ts';

export interface ViewDraft {
  /** SQL. */
  readonly query: string;
  /** Whether the view is dropped and created, which its columns may require. */
  readonly recreate: boolean;
}

export interface PresentView {
  readonly table: TableName;
  readonly kind: TableKind;
  readonly comment: string | null;
  /** Storage parameters: `security_barrier=true`. */
  readonly options: readonly string[];
  /** SQL of the indexes of a materialized view. */
  readonly indexes: readonly string[];
}

export function viewErrors({ query }: ViewDraft): Record<string, string> {
  return query.trim() === '' ? { query: 'Enter a query.' } : {};
}

/** A materialized view cannot be replaced. */
export function replaceViewSql({ table, kind, comment, options, indexes }: PresentView, draft: ViewDraft): string {
  const isMaterialized = kind === 'materialized_view';
  const noun = isMaterialized ? 'materialized view' : 'view';
  const name = qualifiedName(table);
  const recreates = isMaterialized || draft.recreate;
  const parameters = options.length === 0 ? '' : ` with (${options.join(', ')})`;
  const query = draft.query.trim().replace(/;\s*$/, '');
  return statements([
    ...(recreates ? [`drop ${noun} ${name}`] : []),
    `create ${recreates ? '' : 'or replace '}${noun} ${name}${parameters} as\n${query}`,
    ...(recreates ? indexes : []),
    ...(recreates && comment !== null ? [commentSql(`${noun} ${name}`, comment)] : []),
  ]);
}
