/** Finds and changes the object of an edit. */
import { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import { DEFAULT_SOURCE, QualifiedTable, SourceName } from '../../names.ts';
import type { Source } from '../../schema/sources.ts';
import type { TableEntry } from '../../schema/tables.ts';
import { EditError } from './edit-error.ts';

/** The argument `source` of commands. */
export const sourceArgument = SourceName.default(DEFAULT_SOURCE);

/** The arguments that identify a table. */
export const tableArguments = { source: sourceArgument, table: QualifiedTable };

/** The argument `comment`; null has the same effect as an absent member. */
export const commentArgument = z.string().nullish();

export interface TableTarget {
  readonly source: SourceName;
  readonly table: QualifiedTable;
}

/** Returns `"author"`, or `"shop.author"` outside the schema public. */
export function tableLabel(table: QualifiedTable): string {
  return `"${table.schema === 'public' ? table.name : `${table.schema}.${table.name}`}"`;
}

export function sameTable(one: QualifiedTable, other: QualifiedTable): boolean {
  return one.schema === other.schema && one.name === other.name;
}

/** Changes one source. Throws EditError `not-exists` at `$.source`. */
export function changeSource(metadata: Metadata, name: SourceName, change: (source: Source) => Source): Metadata {
  if (!metadata.sources.some((source) => source.name === name)) {
    throw new EditError('not-exists', `source with name "${name}" does not exist`, '$.source');
  }
  return { ...metadata, sources: metadata.sources.map((source) => (source.name === name ? change(source) : source)) };
}

/** Returns the entry of a tracked table. */
export function findTable(metadata: Metadata, target: TableTarget): TableEntry | undefined {
  const source = metadata.sources.find((one) => one.name === target.source);
  return source?.tables.find((entry) => sameTable(entry.table, target.table));
}

/** Changes one table. Throws EditError `not-exists` at `$.source` or `$.table`. */
export function changeTable(
  metadata: Metadata,
  target: TableTarget,
  change: (entry: TableEntry) => TableEntry,
): Metadata {
  return changeSource(metadata, target.source, (source) => {
    if (!source.tables.some((entry) => sameTable(entry.table, target.table))) {
      const message = `table ${tableLabel(target.table)} is not tracked in source "${source.name}"; track it first`;
      throw new EditError('not-exists', message, '$.table');
    }
    return {
      ...source,
      tables: source.tables.map((entry) => (sameTable(entry.table, target.table) ? change(entry) : entry)),
    };
  });
}

/** Changes the first element that `matches`; returns undefined where none does. */
export function changeFirst<T>(
  list: readonly T[] | undefined,
  matches: (element: T) => boolean,
  change: (element: T) => T,
): T[] | undefined {
  const index = list?.findIndex(matches) ?? -1;
  if (list === undefined || index < 0) return undefined;
  return list.map((element, position) => (position === index ? change(element) : element));
}

/** Removes the first element that `matches`; returns undefined where none does. */
export function without<T>(list: readonly T[] | undefined, matches: (element: T) => boolean): T[] | undefined {
  const index = list?.findIndex(matches) ?? -1;
  if (list === undefined || index < 0) return undefined;
  return list.filter((_element, position) => position !== index);
}

/** Returns `{ comment }` for a spread, or an empty object. */
export function withComment(comment: string | null | undefined): { comment?: string } {
  return comment === null || comment === undefined ? {} : { comment };
}
