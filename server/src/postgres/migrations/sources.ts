/** Installs the tables and functions of event triggers in the database of a source. */
import { ServiceError } from '../../base/errors.ts';
import { readProduct, requirePostgres } from '../catalog/product.ts';
import type { Database } from '../client/pool.ts';
import { isPostgresError } from '../sql/errors.ts';
import { queryRows } from '../sql/rows.ts';
import { quoteIdent, sql } from '../sql/sql.ts';
import { type MigrationResult, migrate, readMigrations } from './migrate.ts';

const tables = { numbered: 'source_migrations', functions: 'source_function_migrations', isPrivate: true };
const folder = new URL('../../../migrations/sources/', import.meta.url);

const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Migrates the tables of event triggers in the schema `joinery` of a source, which may also contain the tables of the store.
 * Throws `invalid-configuration` where the role may not create them, with the SQL that an administrator would run in
 * `internal.sql`, where the database is read-only, and where it is not PostgreSQL.
 */
export async function migrateSource(database: Database): Promise<MigrationResult> {
  if (await isReadOnly(database)) {
    const message = 'event triggers store their events in the database of the source, which is read-only';
    throw new ServiceError('invalid-configuration', message);
  }
  requirePostgres(await readProduct(database.query), 'an event trigger');
  try {
    return await migrate(database, readMigrations(folder), tables);
  } catch (error) {
    if (!isPostgresError(error) || error.code !== INSUFFICIENT_PRIVILEGE) throw error;
    const { role, statements } = await administratorStatements(database);
    throw new ServiceError(
      'invalid-configuration',
      `event triggers store their events in the schema joinery of the source, and the role "${role}" may not create it or its tables; an administrator can run: ${statements.join(' ')}`,
      { internal: { sql: statements, error: { message: error.message, status_code: error.code } }, cause: error },
    );
  }
}

async function isReadOnly(database: Database): Promise<boolean> {
  const setting = sql`select current_setting('transaction_read_only') as setting`;
  return (await queryRows(database.query, setting, ['setting']))[0]?.setting === 'on';
}

/** Returns the role of the connection and the statements that let it create the tables. */
async function administratorStatements(database: Database): Promise<{ role: string; statements: readonly string[] }> {
  const [row] = await queryRows(
    database.query,
    sql`select current_user as role, to_regnamespace('joinery') is null as missing`,
    ['role', 'missing'],
  );
  const role = row?.role ?? '';
  const to = quoteIdent(role);
  if (row?.missing === 't') return { role, statements: [`create schema joinery authorization ${to};`] };
  return { role, statements: [`grant usage, create on schema joinery to ${to};`, takeOver(to)] };
}

/** Returns the statement that makes the role the owner of the tables and functions that another role has created. */
function takeOver(role: string): string {
  const quoted = `'${role.replaceAll("'", "''")}'`;
  const list = `select format('alter %s %s owner to %s', case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass, ${quoted})
    from pg_class c where c.relnamespace = 'joinery'::regnamespace and c.relkind in ('r', 'S') and c.relname ~ '^(trigger|source_)'
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i'))
    union all select format('alter routine %s owner to %s', p.oid::regprocedure, ${quoted})
    from pg_proc p where p.pronamespace = 'joinery'::regnamespace and p.proname ~ '(trigger|source_|^joinery_|event_id|event_seq)'`;
  return `do $$ declare one text; begin for one in ${list.replace(/\s+/g, ' ')} loop execute one; end loop; end $$;`;
}
