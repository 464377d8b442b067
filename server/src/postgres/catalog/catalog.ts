/** Reads the catalog of a database in one round trip. */

import type { Database } from '../client/pool.ts';
import { type FunctionRow, readFunctions } from './catalog-functions.ts';
import { type RelationName, readCatalogRow } from './catalog-row.ts';
import { type LabelRow, readTypes, type TypeRow } from './catalog-type-rows.ts';
import {
  type Catalog,
  type CatalogColumn,
  type CatalogForeignKey,
  type CatalogKey,
  type CatalogRelation,
  type RelationKind,
  relationKey,
} from './catalog-types.ts';

/** The members of the rows of catalog.sql. */
type RelationRow = [
  oid: number,
  schema: string,
  name: string,
  kind: string,
  changes: number,
  comment: string | null,
  isVolatile: boolean,
];
type ColumnRow = [
  relation: number,
  name: string,
  position: number,
  type: number,
  nullable: boolean,
  hasDefault: boolean,
  generated: string,
  identity: string,
  comment: string | null,
];
type KeyRow = [
  relation: number,
  name: string,
  kind: 'p' | 'u' | 'f',
  positions: number[],
  foreignRelation: number,
  foreignPositions: number[] | null,
  deferrable: boolean,
];

const kinds: Readonly<Record<string, RelationKind>> = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
};

const identities = { a: 'always', d: 'by default' } as const;

/**
 * Reads what the role of the connection may select from the system catalogs, which is everything by default. With `only`,
 * the result has no functions, and only that relation and those that it refers to.
 */
export async function readCatalog(database: Database, only?: RelationName): Promise<Catalog> {
  const row = await readCatalogRow(database, only);
  const { version, relations, columns, keys, functions, types, labels, extensions } = row;
  const known = readRelations(
    list<RelationRow>(relations),
    groupBy(list<ColumnRow>(columns)),
    groupBy(list<KeyRow>(keys)),
  );
  const typeRows = list<TypeRow>(types);
  return {
    version: Number(version),
    types: readTypes(typeRows, list<LabelRow>(labels)),
    relations: new Map([...known.values()].map((relation) => [relationKey(relation.schema, relation.name), relation])),
    functions: readFunctions(list<FunctionRow>(functions), typeRows, known),
    extensions: new Map(list<[string, string]>(extensions).map(([name, schema]) => [name, { schema }])),
    ...(row.reads_session === 't' && { readsSession: true }),
  };
}

/** Returns the list; empty for null, which is `json_agg` of no rows. */
function list<T>(json: string | null | undefined): readonly T[] {
  return typeof json === 'string' ? (JSON.parse(json) as T[]) : [];
}

/** Groups rows by their first member. */
function groupBy<T extends [number, ...unknown[]]>(rows: readonly T[]): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const group = groups.get(row[0]);
    if (group === undefined) groups.set(row[0], [row]);
    else group.push(row);
  }
  return groups;
}

/** Returns the relations by oid. */
function readRelations(
  rows: readonly RelationRow[],
  columns: ReadonlyMap<number, readonly ColumnRow[]>,
  keys: ReadonlyMap<number, readonly KeyRow[]>,
): ReadonlyMap<number, CatalogRelation> {
  const names = new Map(rows.map(([oid, schema, name]) => [oid, { schema, name }]));
  const namesOf = (oid: number, positions: readonly number[]): readonly string[] => {
    const own = columns.get(oid) ?? [];
    return positions.flatMap((position) => own.find((column) => column[2] === position)?.[1] ?? []);
  };
  const key = ([relation, name, kind, positions, , , deferrable]: KeyRow): CatalogKey => ({
    name,
    columns: namesOf(relation, positions),
    ...(deferrable && kind !== 'f' && { deferrable }),
  });
  const foreignKey = (row: KeyRow): CatalogForeignKey[] => {
    const [, , , , foreignRelation, foreignPositions] = row;
    const foreign = names.get(foreignRelation);
    if (foreign === undefined) return [];
    const foreignColumns = namesOf(foreignRelation, foreignPositions ?? []);
    return [{ ...key(row), foreignSchema: foreign.schema, foreignTable: foreign.name, foreignColumns }];
  };
  return new Map(
    rows.map(([oid, schema, name, kind, changes, comment, isVolatile]) => {
      const own = keys.get(oid) ?? [];
      const primary = own.find((row) => row[2] === 'p');
      const relation: CatalogRelation = {
        schema,
        name,
        kind: kinds[kind] ?? 'table',
        comment: comment ?? undefined,
        columns: (columns.get(oid) ?? []).map(readColumn),
        primaryKey: primary && key(primary),
        uniqueKeys: own.filter((row) => row[2] === 'u').map(key),
        foreignKeys: own.filter((row) => row[2] === 'f').flatMap(foreignKey),
        updatable: (changes & 4) !== 0,
        insertable: (changes & 8) !== 0,
        deletable: (changes & 16) !== 0,
        ...(isVolatile && { isVolatile }),
        ...(kind === 'r' && (changes & 32) !== 0 && { hasChildren: true as const }),
      };
      return [oid, relation];
    }),
  );
}

function readColumn(row: ColumnRow): CatalogColumn {
  const [, name, position, type, nullable, hasDefault, generated, identity, comment] = row;
  return {
    name,
    position,
    type,
    nullable,
    hasDefault,
    generated: generated !== '',
    identity: identities[identity as keyof typeof identities],
    comment: comment ?? undefined,
  };
}
