/** The statement that calls a function with named arguments. */
import { printJson } from '../../base/json-value.ts';
import type { Catalog, CatalogFunction } from '../../postgres/catalog/catalog-types.ts';
import type { QueryResult, QueryRun } from '../../postgres/client/statement-run.ts';
import { printStatement } from '../../postgres/sql/rows.ts';
import { ident, integer, join, type Sql, sql, typeName, value } from '../../postgres/sql/sql.ts';

/** More characters of the result than a log entry has are not fetched. */
const MOST_CHARACTERS = 65_537;

/**
 * Returns the statement. The arguments are converted from JSON by PostgreSQL, as those of `json_to_record`. Its result is one text: the
 * rows as a JSON array, of which only the start is returned where it is longer than what is logged.
 */
export function callStatement(
  { schema, name, arguments: declared }: Pick<CatalogFunction, 'schema' | 'name' | 'arguments'>,
  values: Readonly<Record<string, unknown>>,
  types: Catalog['types'],
): QueryRun {
  const given = declared.filter((argument) => argument.name !== '' && Object.hasOwn(values, argument.name));
  const result = (call: Sql, from: Sql): QueryRun =>
    printStatement(sql`select left(coalesce(json_agg(result)::text, '[]'), ${integer(MOST_CHARACTERS)})
      from ${from}${ident(schema, name)}(${call}) as result`);
  if (given.length === 0) return result(sql``, sql``);
  const columns = given.map(
    (argument) => sql`${ident(argument.name)} ${typeName(types.get(argument.type) ?? { sqlName: 'text' })}`,
  );
  const named = given.map((argument) => sql`${ident(argument.name)} => given.${ident(argument.name)}`);
  const record = sql`json_to_record(${value(printJson(values))}::json) as given (${join(columns, ', ')}) cross join lateral `;
  return result(join(named, ', '), record);
}

/** Returns the text of the rows. */
export function readRows({ rows }: QueryResult): string {
  return rows[0]?.[0] ?? '[]';
}
