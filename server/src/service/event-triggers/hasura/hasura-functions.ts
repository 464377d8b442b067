/** The functions by which Hasura v2 captures the changes of a trigger: `hdb_catalog."notify_hasura_<name>_<INSERT|UPDATE|DELETE>"`. */
import type { CapturedOperation } from '../../../events/capture/captured-trigger.ts';
import { capturedOperations } from '../../../events/capture/captured-trigger.ts';
import type { Query } from '../../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../../postgres/sql/rows.ts';
import { ident, type Sql, sql } from '../../../postgres/sql/sql.ts';

/** Whether `hdb_catalog` is the catalog of Hasura v2 with the table of events, rather than views of Joinery. */
const hasEvents = fixedStatement([], ['present'], () => {
  return sql`select exists (
    select from pg_catalog.pg_class c where c.oid = to_regclass('hdb_catalog.event_log') and c.relkind in ('r', 'p')
  ) as present`;
});

const readFunctions = fixedStatement(['names'], ['name', 'tables'], ({ names }) => {
  return sql`select p.proname as name, coalesce((
      select json_agg(json_build_object('schema', s.nspname, 'name', c.relname) order by s.nspname, c.relname)
      from pg_catalog.pg_trigger g join pg_catalog.pg_class c on c.oid = g.tgrelid
      join pg_catalog.pg_namespace s on s.oid = c.relnamespace
      where g.tgfoid = p.oid and g.tgparentid = 0
    ), '[]') as tables
    from pg_catalog.pg_proc p where p.pronamespace = to_regnamespace('hdb_catalog') and p.proname = any (${names}::text[])
    order by p.proname`;
});

/** A function by which Hasura v2 captures changes. */
export interface HasuraFunction {
  readonly name: string;
  /** The tables with a trigger that calls the function. */
  readonly tables: readonly { readonly schema: string; readonly name: string }[];
}

/** Whether the database has the table of events of Hasura v2. */
export async function hasHasuraEvents(query: Query): Promise<boolean> {
  return (await hasEvents.row(query, {}))?.present === 't';
}

function functionName(trigger: string, operation: CapturedOperation): string {
  return `notify_hasura_${trigger}_${operation.toUpperCase()}`;
}

/** Returns the functions that exist for the trigger. */
export async function hasuraFunctions(query: Query, trigger: string): Promise<readonly HasuraFunction[]> {
  const names = capturedOperations.map((operation) => functionName(trigger, operation));
  return (await readFunctions.rows(query, { names })).map(({ name, tables }) => ({
    name: name ?? '',
    tables: JSON.parse(tables ?? '[]') as HasuraFunction['tables'],
  }));
}

/**
 * Returns the functions to which the capture of a trigger yields; undefined without the catalog of Hasura v2. Functions that exist
 * without a trigger on the table are not among them: Hasura v2 does not remove them with the table.
 */
export async function functionsToYieldTo(
  query: Query,
  trigger: { readonly name: string; readonly table: { readonly schema: string; readonly name: string } },
): Promise<Readonly<Partial<Record<CapturedOperation, Sql>>> | undefined> {
  if (!(await hasHasuraEvents(query))) return undefined;
  const { schema, name: table } = trigger.table;
  const others = (await hasuraFunctions(query, trigger.name)).filter(
    ({ tables }) => !tables.some((one) => one.schema === schema && one.name === table),
  );
  const unused = new Set(others.map(({ name }) => name));
  const names = capturedOperations.map((operation) => [operation, functionName(trigger.name, operation)] as const);
  // PostgreSQL shortens longer names.
  const usable = names.filter(([, name]) => !unused.has(name) && Buffer.byteLength(name) <= 63);
  return Object.fromEntries(usable.map(([operation, name]) => [operation, ident('hdb_catalog', name)]));
}
