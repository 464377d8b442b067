/** Column capabilities by type family. Pure. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';

export type Family = 'number' | 'integer' | 'boolean' | 'text' | 'time' | 'uuid' | 'json' | 'array' | 'enum' | 'other';

const families: Readonly<Record<string, Family>> = {
  int2: 'integer',
  int4: 'integer',
  int8: 'integer',
  float4: 'number',
  float8: 'number',
  numeric: 'number',
  bool: 'boolean',
  text: 'text',
  varchar: 'text',
  bpchar: 'text',
  citext: 'text',
  name: 'text',
  timestamptz: 'time',
  timestamp: 'time',
  date: 'time',
  time: 'time',
  timetz: 'time',
  uuid: 'uuid',
  json: 'json',
  jsonb: 'json',
  geometry: 'json',
  geography: 'json',
  hstore: 'json',
};

export function familyOf({ type, base_type, values }: Pick<ColumnInfo, 'type' | 'base_type' | 'values'>): Family {
  if (type.endsWith('[]')) return 'array';
  if (values !== undefined) return 'enum';
  return families[base_type ?? type] ?? 'other';
}

/** Whether the type has a useful order. */
export function isSortable(column: ColumnInfo): boolean {
  const family = familyOf(column);
  if (family === 'json') return column.type === 'jsonb';
  return !['xml', 'point', 'line', 'lseg', 'box', 'path', 'polygon', 'circle', 'xid'].includes(column.type);
}

/** Whether the column has a valid GraphQL name, which data commands require. */
export function isReadable({ name }: Pick<ColumnInfo, 'name'>): boolean {
  return /^[_A-Za-z][_0-9A-Za-z]*$/.test(name) && !name.startsWith('__');
}

/** Returns the values of enums and booleans. */
export function choicesOf(column: ColumnInfo): readonly string[] | undefined {
  const family = familyOf(column);
  if (family === 'boolean') return ['true', 'false'];
  return family === 'enum' ? column.values : undefined;
}
