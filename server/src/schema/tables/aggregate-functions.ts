/** The aggregate functions except count, their columns and result types. */

import type { ColumnType, TypeFamily } from '../../model/types/column-type.ts';
import type { AggregateFunction, Column } from '../../model/types/table.ts';

export type ColumnFunction = Exclude<AggregateFunction, 'count'>;

export const columnFunctions: readonly ColumnFunction[] = [
  'avg',
  'max',
  'min',
  'stddev',
  'stddev_pop',
  'stddev_samp',
  'sum',
  'var_pop',
  'var_samp',
  'variance',
];

/** Families without max and min in some supported version of PostgreSQL. */
const withoutExtremes: ReadonlySet<TypeFamily> = new Set([
  'boolean',
  'bytes',
  'json',
  'jsonb',
  'range',
  'ltree',
  'lquery',
  'ltxtquery',
  'hstore',
  'geometry',
  'geography',
  'raster',
  'composite',
  'other',
]);

/** Whether the function can be applied to the column. */
export function appliesTo(name: ColumnFunction, { type }: Column): boolean {
  if (name === 'max' || name === 'min') return hasExtremes(type);
  return type.family === 'number' && (type.name !== 'money' || name === 'sum');
}

function hasExtremes(type: ColumnType): boolean {
  if (type.element !== undefined) return hasExtremes(type.element);
  // As in Hasura v2, not of an enum table.
  return type.enumeration === undefined && !withoutExtremes.has(type.family) && !type.name.startsWith('macaddr');
}

/** Whether the function returns the type of its column. The others return Float. */
export function keepsType(name: ColumnFunction): boolean {
  return name === 'max' || name === 'min' || name === 'sum';
}
