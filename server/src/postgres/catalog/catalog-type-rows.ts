/** Converts rows of types from `catalog.sql` to catalog types. */

import { quoteIdent } from '../sql/sql.ts';
import type { CatalogType, TypeKind } from './catalog-types.ts';

export type TypeRow = [
  oid: number,
  schema: string,
  name: string,
  kind: string,
  category: string,
  /** Oid of the relation of a row type; 0 for other types. */
  relation: number,
  base: number,
  element: number | null,
  extension: string | null,
];
export type LabelRow = [type: number, label: string];

const kinds: Readonly<Record<string, TypeKind>> = {
  b: 'base',
  c: 'composite',
  d: 'domain',
  e: 'enum',
  m: 'multirange',
  p: 'pseudo',
  r: 'range',
};

/** Names that without quotes are another type or invalid: `bit` is `bit(1)`, `char` is `character(1)`. */
const misread = new Set(['bit', 'char', 'any']);

export function readTypes(rows: readonly TypeRow[], labels: readonly LabelRow[]): ReadonlyMap<number, CatalogType> {
  const labelsOf = new Map<number, string[]>();
  for (const [type, label] of labels) labelsOf.set(type, [...(labelsOf.get(type) ?? []), label]);
  const extensions = new Map(rows.map((row) => [row[0], row[8] ?? undefined]));
  return new Map(
    rows.map(([oid, schema, name, kind, category, , base, element, extension]) => [
      oid,
      {
        oid,
        schema,
        name,
        kind: element === null ? (kinds[kind] ?? 'base') : 'array',
        category,
        sqlName: sqlNameOf(schema, name),
        labels: labelsOf.get(oid) ?? [],
        baseType: base === 0 ? undefined : base,
        elementType: element ?? undefined,
        // PostgreSQL records a dependency of the array type on its element, not on the extension.
        extension: extension ?? (element === null ? undefined : extensions.get(element)),
      },
    ]),
  );
}

function sqlNameOf(schema: string, name: string): string {
  if (schema !== 'pg_catalog') return `${quoteIdent(schema)}.${quoteIdent(name)}`;
  return /^[a-z_][a-z0-9_]*$/.test(name) && !misread.has(name) ? name : quoteIdent(name);
}
