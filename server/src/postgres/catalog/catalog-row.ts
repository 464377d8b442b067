/** Runs `catalog.sql`, for the whole database or for one relation. */
import { readFileSync } from 'node:fs';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../client/pool.ts';
import type { QueryResult } from '../client/statement-run.ts';
import { isPostgresError } from '../sql/errors.ts';
import { namedRows, type TextRow } from '../sql/rows.ts';

export interface RelationName {
  readonly schema: string;
  readonly name: string;
}

const updatable = 'pg_catalog.pg_relation_is_updatable(c.oid, true)';

/** Conditions in place of the comments of catalog.sql, which limit it to one table and the tables that its keys refer to. */
const narrowing: Readonly<Record<string, string>> = {
  'the table': `and c.oid in (
    with wanted as (
      select w.oid
      from pg_catalog.pg_class w
      join pg_catalog.pg_namespace s on s.oid = w.relnamespace
      where s.nspname = $1 and w.relname = $2
    )
    select oid from wanted
    union select k.confrelid from wanted join pg_catalog.pg_constraint k on k.conrelid = wanted.oid and k.contype = 'f'
  )`,
  'of the table': 'and objoid in (select oid from relations)',
  'on the table': 'and conrelid in (select oid from relations)',
  'no function': 'and false',
};

/** Each but the first and the last is the JSON text of a list; null for no rows. */
const columns = [
  'version',
  'relations',
  'columns',
  'keys',
  'functions',
  'types',
  'labels',
  'extensions',
  'reads_session',
] as const;
type CatalogRow = TextRow<(typeof columns)[number]>;

let statement: string | undefined;

/** Returns the row of catalog.sql for the whole database, or for one relation and those that it refers to. */
export async function readCatalogRow(database: Database, only?: RelationName): Promise<CatalogRow> {
  statement ??= readFileSync(new URL('catalog.sql', import.meta.url), 'utf8');
  const text = only === undefined ? statement : narrowed(statement);
  const values = only === undefined ? [] : [only.schema, only.name];
  // The text contains words such as `insert`, and only reads: after a lost connection it can be sent again.
  const read = (wanted: string): Promise<QueryResult> => database.query({ text: wanted, values }, { reads: true });
  const result = await read(text).catch((error: unknown) => {
    if (!isBrokenWrapper(error)) throw error;
    // The catalog can be read without updatability: views and foreign tables are then read-only.
    return read(text.replace(updatable, '0'));
  });
  const [row] = namedRows(result, columns);
  if (row === undefined) throw new ServiceError('unexpected', 'the database returned no catalog');
  return row;
}

function narrowed(text: string): string {
  return text.replace(/\/\* (.+?) \*\//g, (comment, place: string) => narrowing[place] ?? comment);
}

/** Whether a foreign data wrapper caused the error: it has no handler or no library, or failed. */
function isBrokenWrapper(error: unknown): boolean {
  return isPostgresError(error) && (['55000', '58P01', '42883'].includes(error.code) || error.code.startsWith('HV'));
}
