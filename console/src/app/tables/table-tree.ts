/** The rows of the table tree: sources, schemas and tables. Pure. */
import { type TableName, tableKey, tableLabel } from '../../shared/sources/table-paths.ts';

export interface TreeTable {
  readonly table: TableName;
  /** Tables that are not tracked are part of the database only. */
  readonly isTracked: boolean;
}

export interface TreeSource {
  readonly name: string;
  readonly tables: readonly TreeTable[];
}

interface RowPlace {
  readonly key: string;
  /** Starts at 1. */
  readonly level: number;
  /** The position among the rows with the same parent, from 1, and their number. */
  readonly position: number;
  readonly size: number;
  readonly label: string;
}

export interface GroupRow extends RowPlace {
  readonly kind: 'group';
  readonly isOpen: boolean;
  /** Number of tables in the group. */
  readonly count: number;
}

export interface TableRow extends RowPlace, TreeTable {
  readonly kind: 'table';
  readonly source: string;
}

export type TreeRow = GroupRow | TableRow;

export interface TreeSearch {
  /** Filters by words in the name. Opens all groups. */
  readonly text: string;
  /** Keys of the groups that the user has closed. */
  readonly closed: ReadonlySet<string>;
}

/** Omits the level of sources when there is one source, and that of schemas in a source with `public` only. */
export function treeRows(sources: readonly TreeSource[], search: TreeSearch): readonly TreeRow[] {
  const words = wordsOf(search.text);
  const found = sources
    .map(({ name, tables }) => ({ name, tables: tables.filter((one) => matches(one.table, words)) }))
    .filter(({ tables }) => tables.length > 0 || words.length === 0);
  const isOpen = (key: string): boolean => words.length > 0 || !search.closed.has(key);
  if (sources.length === 1) return found.flatMap(({ name, tables }) => schemaRows(name, tables, 1, isOpen));
  return found.flatMap(({ name, tables }, index) => {
    const key = JSON.stringify([name]);
    const place = { key, level: 1, position: index + 1, size: found.length, label: name };
    const group: GroupRow = { kind: 'group', ...place, isOpen: isOpen(key), count: tables.length };
    return group.isOpen ? [group, ...schemaRows(name, tables, 2, isOpen)] : [group];
  });
}

function schemaRows(
  source: string,
  tables: readonly TreeTable[],
  level: number,
  isOpen: (key: string) => boolean,
): readonly TreeRow[] {
  const schemas = new Map<string, TreeTable[]>();
  for (const one of tables) {
    const known = schemas.get(one.table.schema);
    if (known === undefined) schemas.set(one.table.schema, [one]);
    else known.push(one);
  }
  const names = [...schemas.keys()].sort(publicFirst);
  const [only] = names;
  if (names.length === 1 && only === 'public') return tableRows(source, tables, level);
  return names.flatMap((schema, index) => {
    const own = schemas.get(schema) ?? [];
    const key = JSON.stringify([source, schema]);
    const place = { key, level, position: index + 1, size: names.length, label: schema };
    const group: GroupRow = { kind: 'group', ...place, isOpen: isOpen(key), count: own.length };
    return group.isOpen ? [group, ...tableRows(source, own, level + 1)] : [group];
  });
}

function tableRows(source: string, tables: readonly TreeTable[], level: number): readonly TableRow[] {
  return tables
    .toSorted((one, other) => compare(one.table.name, other.table.name))
    .map((one, index) => ({
      kind: 'table',
      ...one,
      key: `${source} ${tableKey(one.table)}`,
      level,
      position: index + 1,
      size: tables.length,
      label: one.table.name,
      source,
    }));
}

function publicFirst(one: string, other: string): number {
  if (one === 'public' || other === 'public') return one === other ? 0 : one === 'public' ? -1 : 1;
  return compare(one, other);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

function matches(table: TableName, words: readonly string[]): boolean {
  const label = tableLabel(table).toLowerCase();
  return words.every((word) => label.includes(word));
}

/** Returns the index of the group that contains a row. Undefined at the first level. */
export function parentIndex(rows: readonly TreeRow[], index: number): number | undefined {
  const level = rows[index]?.level ?? 1;
  for (let above = index - 1; above >= 0; above -= 1) {
    if ((rows[above]?.level ?? 0) < level) return above;
  }
  return undefined;
}
