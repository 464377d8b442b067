/** Converts values for JSON output. */
import type { ColumnType } from '../model/types/column-type.ts';
import type { AggregateFunction } from '../model/types/table.ts';
import { cast, ident, type Sql, sql } from '../postgres/sql/sql.ts';
import { compared, type PrintSettings } from './printing.ts';

const text = { sqlName: 'text' };
const textList = { sqlName: 'text[]' };

/** Types whose JSON numbers a client may round when it parses doubles. */
const large: ReadonlySet<string> = new Set(['int8', 'numeric', 'float8']);

/**
 * Returns `expression` of `type` as a member of a row that PostgreSQL converts to JSON. Most types need no conversion: numbers
 * are exact, NaN and infinity are strings, times are ISO 8601, arrays are lists, and other types are text.
 */
export function output(expression: Sql, type: ColumnType, settings: PrintSettings): Sql {
  if (type.upperCase) return sql`upper(${expression})`;
  if (type.family === 'geometry' || type.family === 'geography') return geoJson(expression, type);
  if (!settings.stringifyNumerics) return expression;
  if (large.has(type.name)) return cast(expression, text);
  if (type.element !== undefined && large.has(type.element.name)) return cast(expression, textList);
  return expression;
}

/**
 * Returns the call of an aggregate function over values of `type`. PostgreSQL has no max and min of uuid; their text sorts
 * equally. citext has its own, in the schema of its extension.
 */
export function aggregateCall(name: AggregateFunction, argument: Sql, type: ColumnType): Sql {
  if (type.family === 'citext') return sql`${ident(...homeOf(type), name)}(${argument})`;
  if (type.family !== 'uuid') return sql`${ident(name)}(${compared(argument, type)})`;
  return cast(sql`${ident(name)}((${argument})::text collate "C")`, type);
}

/** 15 digits, the precision of a double, and the long name of the reference system. */
function geoJson(expression: Sql, type: ColumnType): Sql {
  return sql`${ident(...homeOf(type), 'st_asgeojson')}(${expression}, 15, 4)::json`;
}

/** The schema of the extension of the type. */
function homeOf({ extensionSchema }: ColumnType): readonly string[] {
  return extensionSchema === undefined ? [] : [extensionSchema];
}
