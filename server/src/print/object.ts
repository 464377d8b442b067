/** JSON objects in SQL: as rows with named columns where that can be, with json_build_object where it cannot. */
import { ident, join, literal, type Sql, sql } from '../postgres/sql/sql.ts';

export interface Member {
  readonly alias: string;
  readonly value: Sql;
}

/** What a select returns so that each of its rows is one JSON object. */
export interface RowObject {
  /** The list behind `select`. */
  readonly list: Sql;
  /** One row of it as a value, where the select stands in `from` under the name `whole`. */
  readonly value: (whole: string) => Sql;
}

/** PostgreSQL cuts longer column names. In bytes. */
const LONGEST_NAME = 63;
/** PostgreSQL has no wider select lists. */
const MOST_COLUMNS = 1600;
/** A function takes 100 arguments, a member needs two. */
const MOST_PAIRS = 50;

/**
 * Measured on Chinook, 300 albums with artist and tracks: rows whose columns carry the response keys, nested as records
 * and arrays of records and turned into JSON once at the top, 8.3 ms; `json_agg` over such rows at each level 10.4 ms;
 * `json_build_object` at each level 15.2 ms.
 */
export function rowObject(members: readonly Member[]): RowObject {
  const named =
    members.length <= MOST_COLUMNS && members.every(({ alias }) => Buffer.byteLength(alias) <= LONGEST_NAME);
  if (!named) return { list: sql`${jsonObject(members)} as "json"`, value: (whole) => ident(whole, 'json') };
  const columns = members.map(({ alias, value }) => sql`${value} as ${ident(alias)}`);
  return { list: join(columns, ', '), value: (whole) => ident(whole) };
}

/** One value of type json. */
export function jsonObject(members: readonly Member[]): Sql {
  const parts: Sql[] = [];
  for (let start = 0; start === 0 || start < members.length; start += MOST_PAIRS) {
    const pairs = members.slice(start, start + MOST_PAIRS).map(({ alias, value }) => sql`${literal(alias)}, ${value}`);
    parts.push(sql`json_build_object(${join(pairs, ', ')})`);
  }
  const [first, second] = parts;
  if (first === undefined || second === undefined) return first ?? sql`'{}'::json`;
  return sql`('{' || ${join(parts.map(insideBraces), ` || ',' || `)} || '}')::json`;
}

/** The members of a JSON object as text. */
function insideBraces(object: Sql): Sql {
  return sql`left(right(${object}::text, -1), -1)`;
}
