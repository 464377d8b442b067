/** Runs `catalog.sql`, for the whole database or for one relation. */
import { readFileSync } from 'node:fs';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../client/pool.ts';
import type { Row } from '../client/statement-run.ts';
import { isPostgresError } from '../sql/errors.ts';

export interface RelationName {
  readonly schema: string;
  readonly name: string;
}

const updatable = 'pg_catalog.pg_relation_is_updatable(c.oid, true)';

/** By the comments of catalog.sql: what is read of one table, and of those that it refers to, whose names its keys need. */
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

let statement: string | undefined;

/** The row of catalog.sql: of the whole database, or of one relation and those that it refers to. */
export async function readCatalogRow(database: Database, only?: RelationName): Promise<Row> {
  statement ??= readFileSync(new URL('catalog.sql', import.meta.url), 'utf8');
  const text = only === undefined ? statement : narrowed(statement);
  const values = only === undefined ? [] : [only.schema, only.name];
  const { rows } = await database.query({ text, values }).catch((error: unknown) => {
    if (!isBrokenWrapper(error)) throw error;
    // Better every view and foreign table read-only than no catalog at all.
    return database.query({ text: text.replace(updatable, '0'), values });
  });
  if (rows[0] === undefined) throw new ServiceError('unexpected', 'the database did not describe itself');
  return rows[0];
}

function narrowed(text: string): string {
  return text.replace(/\/\* (.+?) \*\//g, (comment, place: string) => narrowing[place] ?? comment);
}

/** A foreign data wrapper without a handler, without its library, or with an error of its own. */
function isBrokenWrapper(error: unknown): boolean {
  return isPostgresError(error) && (['55000', '58P01', '42883'].includes(error.code) || error.code.startsWith('HV'));
}
