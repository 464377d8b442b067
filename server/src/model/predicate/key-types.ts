/** Decides which fields of an action's output can be compared with a column. */

import type { OutputNamed } from '../types/action.ts';
import type { ColumnType, TypeFamily } from '../types/column-type.ts';
import {
  booleanType,
  builtInTypes,
  comparable,
  doubleType,
  hasEquality,
  integerType,
  textType,
} from './column-types.ts';

/** Families whose values are JSON strings that PostgreSQL can parse. */
export const writtenAsText: ReadonlySet<TypeFamily> = new Set([
  'text',
  'citext',
  'uuid',
  'enum',
  'time',
  'interval',
  'network',
  'bytes',
  'ltree',
  'range',
  'hstore',
  'other',
]);

const textFamilies: ReadonlySet<TypeFamily> = new Set(['text', 'citext', 'enum']);

/** Types whose numbers may exceed a JSON number, so that handlers send them as strings. */
const exactNumbers: ReadonlySet<string> = new Set(['int8', 'numeric', 'money']);

/** Why values of `field` cannot be compared with a column of type `column`; undefined if they can. */
export function keyMismatch(field: OutputNamed, column: ColumnType, what = 'column'): string | undefined {
  if (!hasEquality(column)) return `PostgreSQL cannot compare values of type ${typeText(column)}`;
  if (fits(field, column)) return undefined;
  return `the field has type ${field.name}, and the ${what} has type ${typeText(column)}; the two cannot be compared`;
}

/** `int4`, `text[]`. */
export function typeText(column: ColumnType): string {
  return column.element === undefined ? column.name : `${column.element.name}[]`;
}

function fits(field: OutputNamed, column: ColumnType): boolean {
  switch (field.kind) {
    case 'object':
    case 'abstract':
      return false;
    case 'enum':
      return textFamilies.has(column.family);
    case 'scalar':
      if (field.origin === 'custom') return true;
      return field.origin === 'graphql' ? graphqlFits(field.name, column) : postgresFits(field.name, column);
    default:
      return field satisfies never;
  }
}

function graphqlFits(scalar: string, { family, name }: ColumnType): boolean {
  switch (scalar) {
    case 'Int':
    case 'Float':
      return family === 'number';
    case 'Boolean':
      return family === 'boolean';
    case 'ID':
      return family === 'number' || family === 'text' || family === 'citext' || family === 'uuid';
    default:
      return writtenAsText.has(family) || exactNumbers.has(name);
  }
}

/** Whether the types are the same, PostgreSQL compares them, or one of them is text. */
function postgresFits(scalar: string, column: ColumnType): boolean {
  if (column.element !== undefined) return false;
  if (scalar === column.scalar || scalar === column.name) return true;
  const own = builtInTypes.get(scalar);
  if (own === undefined) return textFamilies.has(column.family);
  if (comparable(own, column)) return true;
  const oneIsText = textFamilies.has(own.family) || textFamilies.has(column.family);
  return oneIsText && writtenAsText.has(own.family) && writtenAsText.has(column.family);
}

const graphqlTypes: ReadonlyMap<string, ColumnType> = new Map([
  ['Int', integerType],
  ['Float', doubleType],
  ['Boolean', booleanType],
]);

/** The type of a column that could contain values of `field`; undefined for an object. */
export function typeOfKey(field: OutputNamed): ColumnType | undefined {
  if (field.kind === 'object' || field.kind === 'abstract') return undefined;
  if (field.kind === 'enum') return textType;
  // The values of a custom scalar are any JSON, which is checked when a key is sent.
  if (field.origin === 'custom') return builtInTypes.get('jsonb') ?? textType;
  return graphqlTypes.get(field.name) ?? builtInTypes.get(field.name) ?? textType;
}
