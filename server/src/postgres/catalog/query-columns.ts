/** Reads the columns that queries return, without running the queries. */
import type { Database } from '../client/pool.ts';
import type { QueryResult } from '../client/statement-run.ts';
import { isPostgresError, isTransient } from '../sql/errors.ts';
import { queryRows } from '../sql/rows.ts';
import { cast, sql, value } from '../sql/sql.ts';
import type { QueryShape } from './catalog-types.ts';

const oidList = { sqlName: 'oid[]' };

/**
 * Returns the shape of each of `texts`, which must return no row. `inTransaction`: `database` runs in a transaction, which an
 * invalid query must not end. Rejects if the database is not reachable.
 */
export async function readQueryShapes(
  texts: Iterable<string>,
  database: Database,
  inTransaction: boolean,
): Promise<ReadonlyMap<string, QueryShape>> {
  const described = new Map<string, QueryResult['fields'] | Extract<QueryShape, { kind: 'error' }>>();
  for (const text of texts) {
    if (described.has(text)) continue;
    // One after the other: they may be reads of one transaction.
    described.set(text, await describe(text, database, inTransaction));
  }
  const oids = new Set<number>();
  for (const found of described.values()) if ('length' in found) for (const { typeOid } of found) oids.add(typeOid);
  const names = await typeNames([...oids], database);
  const shapes = new Map<string, QueryShape>();
  for (const [text, found] of described) {
    if (!('length' in found)) shapes.set(text, found);
    else {
      const columns = found.map(({ name, typeOid }) => ({ name, type: names.get(typeOid) ?? String(typeOid) }));
      shapes.set(text, { kind: 'columns', columns });
    }
  }
  return shapes;
}

async function describe(
  text: string,
  { query }: Database,
  inTransaction: boolean,
): Promise<QueryResult['fields'] | Extract<QueryShape, { kind: 'error' }>> {
  if (inTransaction) await query({ text: 'savepoint joinery_query', values: [] });
  try {
    const { fields } = await query({ text, values: [] }, { reads: true });
    if (inTransaction) await query({ text: 'release savepoint joinery_query', values: [] });
    return fields;
  } catch (error) {
    if (isTransient(error) || !isPostgresError(error)) throw error;
    if (inTransaction) await query({ text: 'rollback to savepoint joinery_query', values: [] });
    const position = Number(error.position);
    return { kind: 'error', message: error.message, position: Number.isInteger(position) ? position : undefined };
  }
}

async function typeNames(oids: readonly number[], { query }: Database): Promise<ReadonlyMap<number, string>> {
  if (oids.length === 0) return new Map();
  const list = cast(value(oids), oidList);
  const rows = await queryRows(
    query,
    sql`select oid::text as oid, typname::text as name from pg_catalog.pg_type where oid = any(${list})`,
    ['oid', 'name'],
  );
  return new Map(rows.map(({ oid, name }) => [Number(oid), name ?? '']));
}
