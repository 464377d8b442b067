/** Containment of arrays, ranges and jsonb, and the keys and paths of jsonb. */
import { type Sql, sql } from '../../postgres/sql/sql.ts';
import type { ColumnType, TypeFamily } from '../types/column-type.ts';
import type { ArgumentShape, Operator } from '../types/operator.ts';
import { infix } from './operators-infix.ts';

const containers: ReadonlySet<TypeFamily> = new Set(['array', 'range', 'jsonb']);

function contains(name: string, symbol: Sql, description: string): Operator {
  return {
    name,
    appliesTo: ({ family }) => containers.has(family),
    argument: 'same',
    print: infix(symbol),
    description,
  };
}

function ofJsonb(name: string, argument: ArgumentShape, print: Operator['print'], description: string): Operator {
  return { name, appliesTo: ({ family }: ColumnType) => family === 'jsonb', argument, print, description };
}

export const containerOperators: readonly Operator[] = [
  contains('_contains', sql`@>`, 'contains the value'),
  contains('_contained_in', sql`<@`, 'is contained in the value'),
  ofJsonb('_has_key', 'text', infix(sql`?`), 'has the string as a key or an element at its top'),
  ofJsonb('_has_keys_any', 'textList', infix(sql`?|`), 'has one of the strings as a key or an element at its top'),
  ofJsonb('_has_keys_all', 'textList', infix(sql`?&`), 'has all of the strings as keys or elements at its top'),
  ofJsonb(
    '_jsonb_path_exists',
    'text',
    (left, right) => sql`${left} @? ${right}::jsonpath`,
    'the JSON path gives an item',
  ),
  ofJsonb('_jsonb_path_match', 'text', (left, right) => sql`${left} @@ ${right}::jsonpath`, 'the JSON path gives true'),
];
