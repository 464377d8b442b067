/** A column in the form in which it goes into JSON. */
import type { ColumnType } from '../model/types/column-type.ts';
import { cast, ident, type Sql, sql } from '../postgres/sql/sql.ts';
import type { PrintSettings } from './printing.ts';

const text = { sqlName: 'text' };
const textList = { sqlName: 'text[]' };

/** Types whose JSON numbers a client that parses to doubles may round. */
const large: ReadonlySet<string> = new Set(['int8', 'numeric', 'float8']);

/**
 * `expression` of `type` as a member of a row that PostgreSQL turns into JSON. Most types need nothing: its JSON has
 * numbers in full, NaN and infinity as strings, times in ISO 8601, json as it is, arrays as lists, all else as text.
 */
export function output(expression: Sql, type: ColumnType, settings: PrintSettings): Sql {
  if (type.upperCase) return sql`upper(${expression})`;
  if (type.family === 'geometry' || type.family === 'geography') return geoJson(expression, type);
  if (!settings.stringifyNumerics) return expression;
  if (large.has(type.name)) return cast(expression, text);
  if (type.element !== undefined && large.has(type.element.name)) return cast(expression, textList);
  return expression;
}

/** 15 digits, which is all a double has, and the reference system by its long name. */
function geoJson(expression: Sql, type: ColumnType): Sql {
  const home = type.extensionSchema === undefined ? [] : [type.extensionSchema];
  return sql`${ident(...home, 'st_asgeojson')}(${expression}, 15, 4)::json`;
}
