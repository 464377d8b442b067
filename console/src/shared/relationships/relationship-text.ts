/** Descriptions of relationships, and the columns that can be joined. Pure. */
import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/sources/catalog';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import type { RemoteRelationshipDefinition } from '../remote-relationships/definition-text.ts';
import type { TableEntry } from '../sources/sources-api.ts';
import { type TableName, tableLabel } from '../sources/table-paths.ts';
import { familyOf } from '../sources/type-family.ts';
import { targetOf } from './relationship-target.ts';

export interface RelationshipText {
  /** Such as `object by a foreign key`. */
  readonly kind: string;
  /** The target table. Undefined without a matching foreign key. */
  readonly target: TableName | undefined;
  /** One line per column pair: `customer_id → customer.id`. */
  readonly lines: readonly string[];
}

/** Describes a relationship to a table of the same source. */
export function relationshipText(
  { using }: { readonly name: string; readonly using: JsonObject },
  type: 'object' | 'array',
  info: TableInfo,
): RelationshipText {
  const target = targetOf(using, info);
  const label = target === undefined ? 'unknown' : tableLabel(target);
  const { manual_configuration: manual, foreign_key_constraint_on: on } = using;
  if (isJsonObject(manual)) {
    const mapping = isJsonObject(manual.column_mapping) ? manual.column_mapping : {};
    const lines = Object.entries(mapping).map(([own, other]) => `${own} → ${label}.${String(other)}`);
    return { kind: `${type}, by columns`, target, lines };
  }
  const kind = `${type}, by a foreign key`;
  if (isJsonObject(on) && 'table' in on) {
    return { kind, target, lines: columnsOf(on).map((column) => `${label}.${column} → ${info.table.name}`) };
  }
  const columns = typeof on === 'string' ? [on] : Array.isArray(on) ? on.map(String) : [];
  const key = info.foreign_keys.find((one) => {
    const names = Object.keys(one.columns);
    return names.length === columns.length && names.every((name) => columns.includes(name));
  });
  return { kind, target, lines: columns.map((own) => `${own} → ${label}${key ? `.${key.columns[own]}` : ''}`) };
}

function columnsOf({ column, columns }: JsonObject): readonly string[] {
  if (typeof column === 'string') return [column];
  return Array.isArray(columns) ? columns.map(String) : [];
}

export interface RemoteRelationshipText {
  readonly name: string;
  readonly definition: RemoteRelationshipDefinition;
}

/** Describes a remote relationship, also one in an older format. */
export function remoteRelationshipText(written: { readonly name: string } & JsonObject): RemoteRelationshipText {
  const { name, definition: given, ...older } = written;
  const definition = isJsonObject(given) ? given : older;
  if (!('hasura_fields' in definition)) return { name, definition };
  const { hasura_fields, remote_schema, remote_field } = definition;
  return {
    name,
    definition: { to_remote_schema: { remote_schema, lhs_fields: hasura_fields, remote_field } } as object,
  };
}

/** Returns why two columns cannot be joined, or undefined. */
export function whyUnfit(own: ColumnInfo, other: ColumnInfo): string | undefined {
  const types = [own.base_type ?? own.type, other.base_type ?? other.type] as const;
  if (types[0] === types[1]) return undefined;
  const families = types.map(familyOf);
  if (families[0] === families[1] && families[0] !== 'other' && families[0] !== 'array') return undefined;
  return `${own.name} has type ${own.type}, and the column has type ${other.type}`;
}

/** Suggests a name for a relationship: the table name in singular or plural, formed with an s. */
export function suggestedName(type: 'object' | 'array', target: TableName, taken: ReadonlySet<string>): string {
  const base = target.name.replaceAll(/[^_0-9A-Za-z]+/g, '_').replace(/^(?=\d|$)/, '_');
  const one = /[^s]s$/.test(base) ? base.slice(0, -1) : base;
  const name = type === 'object' ? one : `${one}s`;
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}_${number}`;
    if (!taken.has(free)) return free;
  }
}

/** Returns the names of columns and relationships, which a new relationship cannot use. */
export function takenNames(info: TableInfo, entry: TableEntry | undefined): ReadonlySet<string> {
  const { object_relationships = [], array_relationships = [], remote_relationships = [] } = entry ?? {};
  const related = [...object_relationships, ...array_relationships, ...remote_relationships];
  return new Set([...info.columns, ...related].map(({ name }) => name));
}
