/** The PostgreSQL types that logical models and arguments of native queries may have, by all of their names. */
import type { Catalog } from '../../postgres/catalog/catalog-types.ts';
import { builtIn, siblingType } from '../predicate/column-types.ts';
import type { ColumnType } from '../types/column-type.ts';

/** Other names of built-in types. */
const aliases: Readonly<Record<string, string>> = {
  smallint: 'int2',
  int: 'int4',
  integer: 'int4',
  serial: 'int4',
  bigint: 'int8',
  bigserial: 'int8',
  real: 'float4',
  float: 'float8',
  'double precision': 'float8',
  decimal: 'numeric',
  boolean: 'bool',
  string: 'text',
  character: 'bpchar',
  char: 'bpchar',
  'character varying': 'varchar',
  'bit varying': 'varbit',
  'time without time zone': 'time',
  'time with time zone': 'timetz',
  'timestamp without time zone': 'timestamp',
  'timestamp with time zone': 'timestamptz',
};

const builtInNames: ReadonlySet<string> = new Set([
  ...['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'money', 'text', 'varchar', 'bpchar', 'name'],
  ...['date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval', 'uuid', 'json', 'jsonb', 'bytea', 'xml'],
  ...['inet', 'cidr', 'macaddr', 'macaddr8', 'bit', 'varbit', 'tsvector', 'tsquery', 'pg_lsn', 'txid_snapshot'],
  ...['box', 'circle', 'line', 'lseg', 'path', 'point', 'polygon'],
]);

/** The extension of each type that is not built in. */
const extensions: Readonly<Record<string, string>> = {
  citext: 'citext',
  hstore: 'hstore',
  ltree: 'ltree',
  lquery: 'ltree',
  ltxtquery: 'ltree',
  geometry: 'postgis',
  geography: 'postgis',
  raster: 'postgis_raster',
};

const categories: Readonly<Record<string, string>> = {
  bool: 'B',
  interval: 'T',
  inet: 'I',
  cidr: 'I',
  bit: 'V',
  varbit: 'V',
};
const byCategory: readonly (readonly [category: string, ...names: readonly string[]])[] = [
  ['N', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'money'],
  ['S', 'text', 'varchar', 'bpchar', 'name'],
  ['D', 'date', 'time', 'timetz', 'timestamp', 'timestamptz'],
  ['G', 'box', 'circle', 'line', 'lseg', 'path', 'point', 'polygon'],
];

/** Returns the type with that name, or why there is none. A length or precision in parentheses has no effect. */
export function scalarNamed(written: string, catalog: Catalog): ColumnType | string {
  const lower = written
    .replace(/\([^)]*\)/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
  const name = Object.hasOwn(aliases, lower) ? (aliases[lower] ?? lower) : lower;
  if (builtInNames.has(name)) {
    const category = byCategory.find(([, ...names]) => names.includes(name))?.[0] ?? categories[name] ?? 'U';
    const type = builtIn(name, category);
    // Without quotes it means one bit.
    return name === 'bit' ? { ...type, sqlName: '"bit"' } : type;
  }
  const extension = Object.hasOwn(extensions, name) ? extensions[name] : undefined;
  if (extension === undefined) return `Did not recognize scalar type '${written}'`;
  const installed = catalog.extensions.get(extension);
  if (installed === undefined) return `the type "${name}" needs the extension ${extension}, which is not installed`;
  return siblingType({ extensionSchema: installed.schema }, name);
}
