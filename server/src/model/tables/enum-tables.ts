/** Enum tables, whose rows are the values of an enum, and the columns that refer to them. */
import { isGraphqlName } from '@joinery/metadata/graphql-names';
import type { TableConfiguration } from '@joinery/metadata/schema/tables';
import { type Catalog, type CatalogRelation, relationKey } from '../../postgres/catalog/catalog-types.ts';
import { keyOf, plainName, type WrittenTable } from '../inconsistencies/metadata-entries.ts';
import { pascalCase } from '../names/naming-convention.ts';
import { plainNames } from '../names/source-names.ts';
import { baseName } from '../names/table-names.ts';
import type { EnumValue } from '../types/column-type.ts';
import type { SourceNames } from '../types/naming.ts';
import { reasonsText } from './routines.ts';

/** The enum of a table. */
export interface EnumTable {
  /** The name of the enum: `colors_enum`. */
  readonly name: string;
  readonly values: readonly EnumValue[];
}

/** The enum of each enum table by `relationKey`, or why it cannot be one. */
export function enumTables(
  tables: readonly WrittenTable[],
  catalog: Catalog,
  names: SourceNames = plainNames,
): ReadonlyMap<string, EnumTable | string> {
  const found = new Map<string, EnumTable | string>();
  for (const { entry } of tables) {
    const relation = catalog.relations.get(keyOf(entry.table));
    if (entry.is_enum !== true || relation === undefined) continue;
    const key = keyOf(entry.table);
    const values = catalog.enumValues?.get(key) ?? [];
    const name = enumName(relation, entry.configuration, names);
    const reasons = [...errorsOf(relation, values, catalog), ...nameErrors(name)];
    found.set(
      key,
      reasons.length === 0
        ? { name, values }
        : `the table "${plainName(entry.table)}" cannot be used as an enum ${reasonsText(reasons)}`,
    );
  }
  return found;
}

/** `colors_enum`, with the prefix and suffix of the source's types; `ColorsEnum` by the naming convention. */
function enumName(
  { schema, name }: CatalogRelation,
  configuration: TableConfiguration | undefined,
  { typePrefix, typeSuffix, convention }: SourceNames,
): string {
  const base = baseName(schema, name, configuration);
  if (convention === undefined) return `${typePrefix}${base}_enum${typeSuffix}`;
  return `${typePrefix}${configuration?.custom_name ? base : pascalCase(base)}Enum${typeSuffix}`;
}

function nameErrors(name: string): readonly string[] {
  return isGraphqlName(name)
    ? []
    : [`the name "${name}" of the enum is not a GraphQL name; set a custom_name for the table`];
}

/** The enum of each column with a foreign key of its own to an enum table. */
export function enumColumns(
  relation: CatalogRelation,
  enums: ReadonlyMap<string, EnumTable | string>,
): ReadonlyMap<string, EnumTable> {
  const columns = new Map<string, EnumTable>();
  for (const { columns: from, foreignColumns, foreignSchema, foreignTable } of relation.foreignKeys) {
    const [column, second] = from;
    const target = enums.get(relationKey(foreignSchema, foreignTable));
    if (column === undefined || second !== undefined || typeof target !== 'object' || foreignColumns.length !== 1)
      continue;
    columns.set(column, target);
  }
  return columns;
}

function errorsOf(relation: CatalogRelation, values: readonly EnumValue[], catalog: Catalog): readonly string[] {
  const [key, second] = relation.primaryKey?.columns ?? [];
  if (key === undefined) return ['the table must have a primary key', ...columnErrors(relation)];
  if (second !== undefined) {
    const names = relation.primaryKey?.columns.join(', ');
    return [`the table’s primary key must not span multiple columns (${names})`, ...columnErrors(relation)];
  }
  const typed = relation.columns.flatMap(({ name, type }) => {
    const what = name === key ? `primary key ("${name}")` : `comment column ("${name}")`;
    const isText = ['text', 'varchar', 'bpchar', 'citext'].includes(catalog.types.get(type)?.name ?? '');
    const wrong = !isText && (name === key || relation.columns.length === 2);
    return wrong ? [`the table’s ${what} must have type "text", not type "${typeTitle(catalog, type)}"`] : [];
  });
  const shape = [...typed, ...columnErrors(relation)];
  return shape.length > 0 ? shape : valueErrors(values);
}

function columnErrors({ columns }: CatalogRelation): readonly string[] {
  if (columns.length <= 2) return [];
  const names = columns.map(({ name }) => name).sort();
  return [
    `the table must have exactly one primary key and optionally one comment column, not ${columns.length} columns (${names.join(', ')})`,
  ];
}

const reserved: ReadonlySet<string> = new Set(['true', 'false', 'null']);

function valueErrors(values: readonly EnumValue[]): readonly string[] {
  if (values.length === 0) return ['the table must have at least one row'];
  const wrong = values.map(({ value }) => value).filter((value) => !isGraphqlName(value) || reserved.has(value));
  const [first, second] = wrong;
  if (first === undefined) return [];
  if (second === undefined) return [`the value "${first}" is not a valid GraphQL enum value name`];
  return [`the values ${wrong.map((one) => `"${one}"`).join(', ')} are not valid GraphQL enum value names`];
}

/** As PostgreSQL shows it. */
const titles: Readonly<Record<string, string>> = {
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  bool: 'boolean',
  float4: 'real',
  float8: 'double precision',
  timestamptz: 'timestamp with time zone',
  timestamp: 'timestamp without time zone',
};

function typeTitle({ types }: Catalog, oid: number): string {
  const name = types.get(oid)?.name ?? 'unknown';
  return titles[name] ?? name;
}
