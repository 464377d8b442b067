/** Cursors of connections, with the encoding of Hasura v2: base64 of a JSON object with the values that rows are sorted by. */
import { ServiceError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-value.ts';
import { builtInTypes, comparedType } from '../../model/predicate/column-types.ts';
import type { ColumnType } from '../../model/types/column-type.ts';
import type { CursorPart, OrderAggregate, OrderKey } from '../plan/query.ts';
import { fromBase64, readKeyValue } from './json-values.ts';

/** Returns the parameters for the values of the cursor, in the order of `parts`. Throws `validation-failed` with `path`. */
export function readCursor(text: unknown, parts: readonly CursorPart[], path: string): readonly unknown[] {
  try {
    const cursor = fromBase64(String(text));
    return parts.map((part) => {
      const value = readKeyValue(part.type, valueAt(cursor, part.path));
      if (value === null && !part.nullable) throw new SyntaxError('the value cannot be null');
      return value;
    });
  } catch (cause) {
    throw new ServiceError('validation-failed', 'the "after" or "before" cursor is invalid', { path, cause });
  }
}

function valueAt(cursor: unknown, path: readonly string[]): unknown {
  let value = cursor;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) throw new SyntaxError('a value is missing');
    value = value[name];
  }
  return value;
}

/** Returns what a cursor has of a term of the order, as in Hasura v2: `{"title": ...}`, `{"author": {"name": ...}}`, `{"articles_aggregate": {"max": {"id": ...}}}`. */
export function cursorPart(key: OrderKey): CursorPart {
  switch (key.kind) {
    case 'column': {
      const { name, nullable } = key.column;
      const type = comparedType(key.column.type);
      return { path: [name], type, nullable: nullable || key.seen !== undefined || key.column.computed !== undefined };
    }
    case 'related': {
      const { path, type } = cursorPart(key.key);
      return { path: [key.relationship.name, ...path], type, nullable: true };
    }
    case 'aggregate':
      return aggregatePart(`${key.relationship.name}_aggregate`, key);
    case 'computedAggregate':
      return aggregatePart(`${key.routine.schema}.${key.routine.name}_aggregate`, key);
    case 'place':
      throw new TypeError('rows of a connection are not sorted by the keys of a join');
    default:
      return key satisfies never;
  }
}

function aggregatePart(member: string, key: OrderAggregate): CursorPart {
  if (key.column === undefined) return { path: [member, 'count'], type: typeNamed('bigint'), nullable: false };
  const type = resultType(key.function, key.column.type);
  return { path: [member, key.function, key.column.name], type, nullable: true };
}

/** The type that PostgreSQL gives the result of the aggregate function. */
function resultType(name: string, type: ColumnType): ColumnType {
  if (name === 'max' || name === 'min' || type.family !== 'number' || type.name === 'money') return type;
  const isFloat = type.name === 'float4' || type.name === 'float8';
  if (isFloat) return name === 'sum' ? type : typeNamed('float8');
  return typeNamed('numeric');
}

function typeNamed(scalar: string): ColumnType {
  const type = builtInTypes.get(scalar);
  if (type === undefined) throw new TypeError(`there is no type ${scalar}`);
  return type;
}
