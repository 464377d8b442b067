/** SQL that creates, renames and drops indexes, and reads the progress of creating one. Pure. */
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { nameList, qualifiedName, sqlName, sqlText } from '../../../../shared/sql/sql-names.ts';
import { statements } from './statements.ts';

export const indexMethods = ['btree', 'hash', 'gin', 'gist', 'spgist', 'brin'] as const;
export type IndexMethod = (typeof indexMethods)[number];

export interface IndexDraft {
  readonly name: string;
  readonly method: IndexMethod;
  /** Columns in the order of the index. */
  readonly columns: readonly string[];
  /** SQL of expressions after the columns, such as `lower(email)`. */
  readonly expressions: string;
  readonly unique: boolean;
  /** Columns that the index stores in addition. */
  readonly include: readonly string[];
  /** An SQL condition of the rows in the index. */
  readonly where: string;
  /** Whether writes continue while the index is created. It then cannot be rolled back. */
  readonly concurrently: boolean;
}

export const newIndex: IndexDraft = {
  name: '',
  method: 'btree',
  columns: [],
  expressions: '',
  unique: false,
  include: [],
  where: '',
  concurrently: true,
};

export function indexErrors({ columns, expressions, name, concurrently }: IndexDraft): Record<string, string> {
  return {
    ...(columns.length === 0 && expressions.trim() === '' && { columns: 'Select a column, or enter an expression.' }),
    ...(concurrently &&
      name.trim() === '' && { name: 'An index that is created concurrently needs a name to find it.' }),
  };
}

export function createIndexSql(table: TableName, draft: IndexDraft): string {
  const { name, method, columns, expressions, unique, include, where, concurrently } = draft;
  const parts = [...columns.map(sqlName), ...(expressions.trim() === '' ? [] : [expressions.trim()])];
  return statements([
    [
      `create${unique ? ' unique' : ''} index${concurrently ? ' concurrently' : ''}`,
      ...(name.trim() === '' ? [] : [sqlName(name.trim())]),
      `on ${qualifiedName(table)}`,
      ...(method === 'btree' ? [] : [`using ${method}`]),
      `(${parts.join(', ')})`,
      ...(include.length === 0 ? [] : [`include (${nameList(include)})`]),
      ...(where.trim() === '' ? [] : [`where ${where.trim()}`]),
    ].join(' '),
  ]);
}

/** Returns `author_name_idx`, a name that no index has. */
export function suggestedIndexName(table: TableName, columns: readonly string[], taken: readonly string[]): string {
  // PostgreSQL cuts names after 63 bytes.
  const base = [table.name, ...columns].join('_').slice(0, 55);
  for (let number = 0; ; number += 1) {
    const name = `${base}_idx${number === 0 ? '' : number}`;
    if (!taken.includes(name)) return name;
  }
}

export function dropIndexSql(schema: string, name: string, concurrently: boolean): string {
  return statements([`drop index ${concurrently ? 'concurrently ' : ''}${qualifiedName({ schema, name })}`]);
}

/** Whether PostgreSQL runs the SQL only outside of a transaction. */
export function isConcurrent(sql: string): boolean {
  return /\b(create\s+(unique\s+)?index|drop\s+index|reindex\s+\w+)\s+concurrently\b/i.test(sql);
}

/** One row while an index of the table is created: phase, blocks and tuples that are done and in all. */
export function progressSql(table: TableName): string {
  return `select p.phase, p.blocks_done, p.blocks_total, p.tuples_done, p.tuples_total
from pg_catalog.pg_stat_progress_create_index p where p.relid = to_regclass(${sqlText(qualifiedName(table))})`;
}
