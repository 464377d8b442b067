/** Finding the object that an edit is about, and the metadata with that one object changed. */
import { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import { DEFAULT_SOURCE, QualifiedTable, SourceName } from '../../names.ts';
import type { Source } from '../../schema/sources.ts';
import type { TableEntry } from '../../schema/tables.ts';
import { EditError } from './edit-error.ts';

/** `source` as every command takes it. */
export const sourceArgument = SourceName.default(DEFAULT_SOURCE);

/** The arguments that say which table is meant. */
export const tableArguments = { source: sourceArgument, table: QualifiedTable };

/** Null, left out and empty are one. */
export const commentArgument = z.string().nullish();

export interface TableTarget {
  readonly source: SourceName;
  readonly table: QualifiedTable;
}

/** `"author"`, or `"shop.author"` outside of the schema public. */
export function tableLabel(table: QualifiedTable): string {
  return `"${table.schema === 'public' ? table.name : `${table.schema}.${table.name}`}"`;
}

export function sameTable(one: QualifiedTable, other: QualifiedTable): boolean {
  return one.schema === other.schema && one.name === other.name;
}

/** The metadata with one source changed. Throws `not-exists` at `$.source`. */
export function changeSource(metadata: Metadata, name: SourceName, change: (source: Source) => Source): Metadata {
  if (!metadata.sources.some((source) => source.name === name)) {
    throw new EditError('not-exists', `source with name "${name}" does not exist`, '$.source');
  }
  return { ...metadata, sources: metadata.sources.map((source) => (source.name === name ? change(source) : source)) };
}

/** The entry of a tracked table, or undefined. */
export function findTable(metadata: Metadata, target: TableTarget): TableEntry | undefined {
  const source = metadata.sources.find((one) => one.name === target.source);
  return source?.tables.find((entry) => sameTable(entry.table, target.table));
}

/** The metadata with one table changed. Throws `not-exists` at `$.source` or `$.table`. */
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

/** `list` with the first element that `matches` changed, or undefined when none does. */
export function changeFirst<T>(
  list: readonly T[] | undefined,
  matches: (element: T) => boolean,
  change: (element: T) => T,
): T[] | undefined {
  const index = list?.findIndex(matches) ?? -1;
  if (list === undefined || index < 0) return undefined;
  return list.map((element, position) => (position === index ? change(element) : element));
}

/** `list` without the first element that `matches`, or undefined when none does. */
export function without<T>(list: readonly T[] | undefined, matches: (element: T) => boolean): T[] | undefined {
  const index = list?.findIndex(matches) ?? -1;
  if (list === undefined || index < 0) return undefined;
  return list.filter((_element, position) => position !== index);
}

/** `{ comment }` for a spread; nothing when there is none. */
export function withComment(comment: string | null | undefined): { comment?: string } {
  return comment === null || comment === undefined ? {} : { comment };
}
