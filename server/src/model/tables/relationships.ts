/** The stage of resolve for relationships between tables of one source. */
import type { QualifiedTable } from '@joinery/metadata/names';
import type { Relationship as WrittenRelationship } from '@joinery/metadata/schema/relationships';
import { ServiceError } from '../../base/errors.ts';
import type { Steps } from '../../base/steps.ts';
import type { CatalogForeignKey } from '../../postgres/catalog/catalog-types.ts';
import {
  draftTables,
  keyOf,
  plainName,
  type RelationshipKind,
  reportRelationship,
  type WrittenTable,
  whyNoTable,
} from '../inconsistencies/metadata-entries.ts';
import { comparable } from '../predicate/column-types.ts';
import type { Draft, DraftTable } from '../types/draft.ts';
import type { Relationship, Table } from '../types/table.ts';

type Mapping = Relationship['mapping'];

/** The target of a relationship, or why it has none. */
type Found = Pick<Relationship, 'target' | 'mapping' | 'nullable' | 'insertAfter'> | string;

/** Fills `relationships` of every table. */
export function* resolveRelationships(draft: Draft): Steps<void> {
  for (const { written, table } of draftTables(draft)) {
    const { object_relationships = [], array_relationships = [] } = written.entry;
    for (const [index, one] of object_relationships.entries()) resolveOne(draft, written, table, 'object', index, one);
    for (const [index, one] of array_relationships.entries()) resolveOne(draft, written, table, 'array', index, one);
    yield;
  }
}

function resolveOne(
  draft: Draft,
  written: WrittenTable,
  table: DraftTable,
  kind: RelationshipKind,
  index: number,
  relationship: WrittenRelationship,
): void {
  const taken = whoHasName(table, kind, relationship.name);
  const found = taken ?? find(draft, table, kind, relationship);
  if (typeof found === 'string') {
    const code = taken === undefined ? 'invalid-configuration' : 'already-exists';
    reportRelationship(draft, written, kind, index, relationship, code, found);
    return;
  }
  const { name, comment } = relationship;
  table.relationships.set(name, { kind, name, ...found, comment: comment ?? undefined });
}

/** An array relationship uses the name of its aggregate as well. */
function whoHasName(table: DraftTable, kind: RelationshipKind, name: string): string | undefined {
  const names = kind === 'array' ? [name, `${name}_aggregate`] : [name];
  for (const one of names) {
    const column = table.columns.get(one) ?? table.columnsByName.get(one);
    if (column !== undefined) return `the table has a column "${one}"; choose another name`;
    const base = one.endsWith('_aggregate') ? one.slice(0, -'_aggregate'.length) : undefined;
    const relationship = table.relationships.get(one);
    const summed = base === undefined ? undefined : table.relationships.get(base);
    if (relationship !== undefined || (summed !== undefined && summed.kind === 'array' && base !== name)) {
      return `the table has a relationship "${relationship?.name ?? base}" that needs the name; choose another`;
    }
  }
  return undefined;
}

function find(draft: Draft, table: DraftTable, kind: RelationshipKind, { using }: WrittenRelationship): Found {
  if ('manual_configuration' in using) return findByMapping(draft, table, using.manual_configuration);
  const on = using.foreign_key_constraint_on;
  if (Array.isArray(on)) {
    if (kind === 'object') return findByOwnKey(draft, table, on);
    return 'an array relationship needs the other table as well: foreign_key_constraint_on: { table, columns }';
  }
  return findByOtherKey(draft, table, on.table, 'columns' in on ? on.columns : [on.column]);
}

/** The foreign key is on this table: there is one row, or none if a column of the key is null. */
function findByOwnKey(draft: Draft, table: DraftTable, columns: readonly string[]): Found {
  const key = foreignKey(draft, table, columns, () => true);
  if (typeof key === 'string') return key;
  const written = { schema: key.foreignSchema, name: key.foreignTable };
  const target = tableOf(draft, table, written);
  if (target === undefined) return whyNoTable(draft, table.source, written);
  const mapping = mapped(table, key.columns, target, key.foreignColumns);
  if (typeof mapping === 'string') return mapping;
  return { target, mapping, nullable: mapping.some(({ from }) => from.nullable) };
}

/** The foreign key is on the target and refers to this table. */
function findByOtherKey(draft: Draft, table: DraftTable, written: QualifiedTable, columns: readonly string[]): Found {
  const target = tableOf(draft, table, written);
  if (target === undefined) return whyNoTable(draft, table.source, written);
  const leadsHere = (key: CatalogForeignKey) => key.foreignSchema === table.schema && key.foreignTable === table.name;
  const key = foreignKey(draft, target, columns, leadsHere);
  if (typeof key === 'string') return key;
  const mapping = mapped(table, key.foreignColumns, target, key.columns);
  return typeof mapping === 'string' ? mapping : { target, mapping, nullable: true, insertAfter: true };
}

function findByMapping(draft: Draft, table: DraftTable, manual: ManualConfiguration): Found {
  const { column_mapping, source = table.source, insertion_order } = manual;
  if (source !== table.source) {
    return `its target is in source "${source}", and a relationship cannot leave its source; use a remote relationship`;
  }
  const target =
    'remote_table' in manual
      ? tableOf(draft, table, manual.remote_table)
      : draft.sources.get(source)?.nativeQueries.get(manual.remote_native_query);
  if (target === undefined) {
    return 'remote_table' in manual
      ? whyNoTable(draft, table.source, manual.remote_table)
      : `native query "${manual.remote_native_query}" does not exist in the source, or was dropped`;
  }
  const mapping = mapColumns(table, column_mapping, target);
  if (typeof mapping === 'string') return mapping;
  const after = insertion_order === 'after_parent' ? { insertAfter: true as const } : {};
  return { target, mapping, nullable: true, ...after };
}

/** The columns of a mapping by SQL names, or why it is invalid. */
export function mapColumns(
  table: Table,
  written: Readonly<Record<string, string>>,
  target: Table,
): Relationship['mapping'] | string {
  const mapping = mapped(table, Object.keys(written), target, Object.values(written));
  if (typeof mapping === 'string') return mapping;
  if (mapping.length === 0) return 'column_mapping maps no column; map at least one';
  const apart = mapping.find(({ from, to }) => !comparable(from.type, to.type));
  if (apart === undefined) return mapping;
  const [from, to] = [apart.from, apart.to].map(({ name, type }) => `"${name}" of type ${type.name}`);
  return `the columns ${from} and ${to} cannot be compared; map columns of one type`;
}

type ManualConfiguration = Extract<
  WrittenRelationship['using'],
  { readonly manual_configuration: unknown }
>['manual_configuration'];

function tableOf(draft: Draft, { source }: Table, written: QualifiedTable): Table | undefined {
  return draft.sources.get(source)?.tables.get(keyOf(written));
}

function mapped(table: Table, from: readonly string[], target: Table, to: readonly string[]): Mapping | string {
  const mapping: Mapping[number][] = [];
  for (const [index, name] of from.entries()) {
    const other = to[index] ?? '';
    const [here, there] = [table.columnsByName.get(name), target.columnsByName.get(other)];
    if (here === undefined) return noColumn(table, name);
    if (there === undefined) return noColumn(target, other);
    mapping.push({ from: here, to: there });
  }
  return mapping;
}

function noColumn(table: Table, name: string): string {
  return `table "${plainName(table)}" has no column "${name}"`;
}

/** The foreign key of `table` on exactly these columns, in any order. Equal foreign keys count as one. */
function foreignKey(
  draft: Draft,
  table: Table,
  columns: readonly string[],
  fits: (key: CatalogForeignKey) => boolean,
): CatalogForeignKey | string {
  const missing = columns.find((name) => !table.columnsByName.has(name));
  if (missing !== undefined) return noColumn(table, missing);
  const catalog = draft.input.catalogs.get(table.source);
  const relation = catalog instanceof ServiceError ? undefined : catalog?.relations.get(keyOf(table));
  const keys = (relation?.foreignKeys ?? []).filter((key) => sameNames(key.columns, columns) && fits(key));
  const [first] = keys;
  const on = `on ${columns.length === 1 ? 'the column' : 'the columns'} ${columns.join(', ')}`;
  const instead = 'use manual_configuration to relate the tables';
  if (first === undefined) return `table "${plainName(table)}" has no such foreign key ${on}; add one, or ${instead}`;
  if (keys.some((key) => meaning(key) !== meaning(first))) {
    return `table "${plainName(table)}" has several foreign keys ${on}; ${instead}`;
  }
  return first;
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}

function meaning({ columns, foreignSchema, foreignTable, foreignColumns }: CatalogForeignKey): string {
  const pairs = columns.map((column, index) => [column, foreignColumns[index]]).sort();
  return JSON.stringify([foreignSchema, foreignTable, pairs]);
}
