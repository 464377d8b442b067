/** Model of a diagram: tables as boxes, foreign keys and relationships as lines. Pure. */
import type { SuggestedRelationship } from '@joinery/metadata/api/sources/catalog';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { tableNamed } from '../../shared/relationships/relationship-target.ts';
import { type RemoteRelationshipText, remoteRelationshipText } from '../../shared/relationships/relationship-text.ts';
import type { RelationshipEntry, SourceEntry, TableEntry } from '../../shared/sources/sources-api.ts';
import { sameTable, type TableName, tableKey } from '../../shared/sources/table-paths.ts';

export interface DiagramColumn {
  readonly name: string;
  /** `primary`: the column is part of the primary key. */
  readonly is: 'primary' | 'joined';
}

export interface DiagramTable {
  readonly key: string;
  readonly table: TableName;
  /** Columns of keys and joins, the primary key first. */
  readonly columns: readonly DiagramColumn[];
  /** Names of relationships to other sources. */
  readonly elsewhere: readonly string[];
}

/** One direction of a line: the relationship of a table. */
export interface DiagramWay {
  readonly name: string;
  readonly type: 'object' | 'array';
}

type Pair = readonly [string, string];

/** A line between two tables, with at least one direction. */
export interface DiagramLine {
  readonly key: string;
  /** Table keys. */
  readonly from: string;
  readonly to: string;
  /** Joined columns, the first table's first. */
  readonly pairs: readonly Pair[];
  /** The direction from the first to the second table. */
  readonly there: DiagramWay | undefined;
  readonly back: DiagramWay | undefined;
}

export interface Diagram {
  readonly tables: readonly DiagramTable[];
  readonly lines: readonly DiagramLine[];
}

/** Primary key columns by table key. */
export type PrimaryKeys = ReadonlyMap<string, readonly string[]>;

/** Builds the diagram. `foreignKeys` are suggestions for all foreign keys between tracked tables. */
export function diagramOf(
  { name: source, tables }: SourceEntry,
  foreignKeys: readonly SuggestedRelationship[],
  primaryKeys: PrimaryKeys,
): Diagram {
  const joined = new Map<string, Set<string>>();
  const lines = new Map<string, DiagramLine>();
  for (const entry of tables) {
    for (const link of linksOf(entry, source, foreignKeys)) {
      if (!tables.some((one) => sameTable(one.table, link.to))) continue;
      columnsNote(
        joined,
        entry.table,
        link.pairs.map(([own]) => own),
      );
      columnsNote(
        joined,
        link.to,
        link.pairs.map(([, other]) => other),
      );
      addLine(lines, entry.table, link);
    }
  }
  return {
    tables: tables.map((entry) => {
      const key = tableKey(entry.table);
      const primary = primaryKeys.get(key) ?? [];
      const others = [...(joined.get(key) ?? [])].filter((name) => !primary.includes(name)).sort();
      return {
        key,
        table: entry.table,
        columns: [
          ...primary.map((name) => ({ name, is: 'primary' as const })),
          ...others.map((name) => ({ name, is: 'joined' as const })),
        ],
        elsewhere: elsewhereOf(entry, source).map(({ name }) => name),
      };
    }),
    lines: [...lines.values()],
  };
}

interface FoundLink extends DiagramWay {
  readonly to: TableName;
  /** Own column and column of the other table. */
  readonly pairs: readonly Pair[];
}

function linksOf(
  entry: TableEntry,
  source: string,
  foreignKeys: readonly SuggestedRelationship[],
): readonly FoundLink[] {
  const { object_relationships = [], array_relationships = [], remote_relationships = [] } = entry;
  const found = [
    ...object_relationships.map((one) => foundLink(entry.table, one, 'object', foreignKeys)),
    ...array_relationships.map((one) => foundLink(entry.table, one, 'array', foreignKeys)),
    ...remote_relationships.map(remoteRelationshipText).map((one) => withinSource(one, source)),
  ];
  return found.filter((one) => one !== undefined);
}

function foundLink(
  own: TableName,
  { name, using }: RelationshipEntry,
  type: DiagramWay['type'],
  foreignKeys: readonly SuggestedRelationship[],
): FoundLink | undefined {
  const { manual_configuration: manual, foreign_key_constraint_on: on }: JsonObject = using;
  if (isJsonObject(manual)) {
    const to = tableNamed(manual.remote_table);
    const mapping = isJsonObject(manual.column_mapping) ? Object.entries(manual.column_mapping) : [];
    return to && { name, type, to, pairs: mapping.map(([from, other]) => [from, String(other)]) };
  }
  const target = isJsonObject(on) && 'table' in on ? tableNamed(on.table) : undefined;
  const columns = columnsOf(on);
  const key = foreignKeys.find(({ from, to }) => {
    if (!sameTable(from.table, own)) return false;
    if (target === undefined) return from.constraint_name !== undefined && sameNames(from.columns, columns);
    return from.constraint_name === undefined && sameTable(to.table, target) && sameNames(to.columns, columns);
  });
  if (key === undefined) return target && { name, type, to: target, pairs: [] };
  const pairs = key.from.columns.map((column, index) => [column, key.to.columns[index] ?? ''] as const);
  return { name, type, to: key.to.table, pairs };
}

function columnsOf(on: unknown): readonly string[] {
  if (typeof on === 'string') return [on];
  if (Array.isArray(on)) return on.map(String);
  if (!isJsonObject(on)) return [];
  return columnsOf(on.columns ?? on.column);
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}

/** A remote relationship to a table of the same source. */
function withinSource({ name, definition }: RemoteRelationshipText, source: string): FoundLink | undefined {
  const target = definition.to_source;
  const to = target?.source === source ? tableNamed(target.table) : undefined;
  if (target === undefined || to === undefined) return undefined;
  return { name, type: target.relationship_type, to, pairs: Object.entries(target.field_mapping) };
}

function elsewhereOf({ remote_relationships = [] }: TableEntry, source: string): readonly RemoteRelationshipText[] {
  return remote_relationships.map(remoteRelationshipText).filter((one) => withinSource(one, source) === undefined);
}

function columnsNote(joined: Map<string, Set<string>>, table: TableName, columns: readonly string[]): void {
  const key = tableKey(table);
  const known = joined.get(key) ?? new Set();
  for (const column of columns) known.add(column);
  joined.set(key, known);
}

/**
 * The reverse direction over the same columns is the other end of the line. A second relationship in one direction is
 * another line.
 */
function addLine(lines: Map<string, DiagramLine>, own: TableName, { to, pairs, name, type }: FoundLink): void {
  const [here, there] = [tableKey(own), tableKey(to)];
  const pairKey = (reversed: boolean) =>
    pairs
      .map(([a, b]) => (reversed ? [b, a] : [a, b]).join('='))
      .sort()
      .join(',');
  const mine = `${here} ${there} ${pairKey(false)}`;
  const theirs = `${there} ${here} ${pairKey(true)}`;
  const waiting = [...lines.values()].find((line) => line.key.startsWith(`${theirs} `) && line.back === undefined);
  if (waiting !== undefined && !(here === there && waiting.there?.type === type)) {
    lines.set(waiting.key, { ...waiting, back: { name, type } });
    return;
  }
  const key = `${mine} ${name}`;
  lines.set(key, { key, from: here, to: there, pairs, there: { name, type }, back: undefined });
}

/** Returns tables whose name contains the text, those that start with it first. */
export function searchTables(tables: readonly DiagramTable[], text: string): readonly DiagramTable[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const at = ({ table }: DiagramTable) => `${table.schema}.${table.name}`.toLowerCase();
  const begins = ({ table }: DiagramTable) => table.name.toLowerCase().startsWith(wanted);
  const found = tables.filter((one) => at(one).includes(wanted));
  return found.toSorted((one, other) => Number(begins(other)) - Number(begins(one)));
}

/** Parses rows of schema, table and column in key order. */
export function primaryKeysOf(rows: readonly (readonly string[])[]): PrimaryKeys {
  const keys = new Map<string, string[]>();
  for (const [schema = '', name = '', column = ''] of rows) {
    const key = tableKey({ schema, name });
    const known = keys.get(key);
    if (known === undefined) keys.set(key, [column]);
    else known.push(column);
  }
  return keys;
}
