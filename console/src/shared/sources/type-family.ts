export type Family =
  | 'number'
  | 'boolean'
  | 'text'
  | 'time'
  | 'uuid'
  | 'json'
  | 'jsonb'
  | 'array'
  | 'range'
  | 'ltree'
  | 'geometry'
  | 'geography'
  | 'raster'
  | 'other';

const families: readonly (readonly [RegExp, Family])[] = [
  [/^_|\[\]$/, 'array'],
  [/^(smallint|integer|bigint|int[248]|real|double precision|float[48]|numeric|decimal|money)\b/, 'number'],
  [/^bool/, 'boolean'],
  [/^(text|citext|character|varchar|bpchar|char|name)\b/, 'text'],
  [/^(date|time|timetz|timestamp|timestamptz)( |\(|$)/, 'time'],
  [/^uuid$/, 'uuid'],
  [/^json$/, 'json'],
  [/^jsonb$/, 'jsonb'],
  [/(range|multirange)$/, 'range'],
  [/(^|\.)ltree$/, 'ltree'],
  [/(^|\.)geometry\b/, 'geometry'],
  [/(^|\.)geography\b/, 'geography'],
  [/(^|\.)raster$/, 'raster'],
];

/** Returns the family of an SQL type such as `integer`, `character varying(20)` or `text[]`. */
export function familyOf(type: string): Family {
  return families.find(([pattern]) => pattern.test(type))?.[1] ?? 'other';
}
