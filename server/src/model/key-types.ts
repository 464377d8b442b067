/** Which fields of an action's output can be the key of a column: checked when the relationship is defined. */
import type { ColumnType, OutputNamed, TypeFamily } from './model.ts';
import { familyOfScalar } from './postgres-scalars.ts';

/** Families whose values are written as JSON strings that PostgreSQL reads back. */
const textual: ReadonlySet<TypeFamily> = new Set([
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
  'other',
]);

const wordlike: ReadonlySet<TypeFamily> = new Set(['text', 'citext', 'enum']);

/** Numbers that a JSON number may not hold, so that handlers send them as strings. */
const exactNumbers: ReadonlySet<string> = new Set(['int8', 'numeric', 'money']);

/** No equality in PostgreSQL, so that nothing can ever match. */
const incomparable: ReadonlySet<string> = new Set(['json', 'xml', 'point', 'polygon']);

/** Why values of `field` cannot be compared with a column of type `column`; undefined when they can. */
export function keyMismatch(field: OutputNamed, column: ColumnType): string | undefined {
  if (incomparable.has(column.name)) return `PostgreSQL cannot compare values of type ${column.name}`;
  if (comparable(field, column)) return undefined;
  return `the field has type ${field.name}, and the column has type ${nameOf(column)}; the two cannot be compared`;
}

function nameOf(column: ColumnType): string {
  return column.element === undefined ? column.name : `${column.element.name}[]`;
}

function comparable(field: OutputNamed, column: ColumnType): boolean {
  switch (field.kind) {
    case 'object':
      return false;
    case 'enum':
      return wordlike.has(column.family);
    case 'scalar':
      if (field.origin === 'custom') return true;
      return field.origin === 'graphql'
        ? builtInComparable(field.name, column)
        : postgresComparable(field.name, column);
    default:
      return field satisfies never;
  }
}

function builtInComparable(scalar: string, { family, name }: ColumnType): boolean {
  switch (scalar) {
    case 'Int':
    case 'Float':
      return family === 'number';
    case 'Boolean':
      return family === 'boolean';
    case 'ID':
      return family === 'number' || family === 'text' || family === 'citext' || family === 'uuid';
    default:
      return textual.has(family) || exactNumbers.has(name);
  }
}

/** Of its own name, of its family, or text that stands for it. */
function postgresComparable(scalar: string, column: ColumnType): boolean {
  if (column.family === 'array') return false;
  if (scalar === column.scalar || scalar === column.name) return true;
  const family = familyOfScalar.get(scalar);
  if (family === undefined) return wordlike.has(column.family);
  if (family === column.family) return family !== 'other';
  if (family === 'number' || family === 'json' || family === 'jsonb') return false;
  return textual.has(family) && textual.has(column.family) && (wordlike.has(family) || wordlike.has(column.family));
}
