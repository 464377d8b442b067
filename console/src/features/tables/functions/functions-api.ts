/** The functions of a database, and commands that track them. */
import { useQuery } from '@tanstack/react-query';
import type { Client } from '../../../api/client.ts';
import { useClient } from '../../../api/context.ts';
import type { TableName } from '../../../shared/sources/table-paths.ts';
import { readRows } from '../../../shared/sql/read-rows.ts';
import type { PresentFunction } from '../structure/sql/function-sql.ts';

/** A function or procedure that no extension owns. */
export interface DatabaseFunction extends Omit<PresentFunction, 'definition'> {
  readonly language: string;
  /** Null for a procedure. */
  readonly volatility: 'immutable' | 'stable' | 'volatile' | null;
}

/** Queries all functions and procedures except those of extensions, of PostgreSQL and of the service. */
export function useDatabaseFunctions(source: string) {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'database-functions', source],
    queryFn: async ({ signal }) => {
      const [row] = await readRows(client, source, functionsSql, signal);
      return JSON.parse(row?.[0] ?? '[]') as readonly DatabaseFunction[];
    },
  });
}

const functionsSql = `select coalesce(json_agg(json_build_object('oid', p.oid::int8, 'schema', n.nspname, 'name', p.proname,
  'identity', pg_get_function_identity_arguments(p.oid), 'arguments', pg_get_function_arguments(p.oid),
  'result', case p.prokind when 'p' then null else pg_get_function_result(p.oid) end, 'language', l.lanname,
  'volatility', case when p.prokind = 'p' then null when p.provolatile = 'i' then 'immutable' when p.provolatile = 's' then 'stable' else 'volatile' end,
  'comment', obj_description(p.oid, 'pg_proc'))
  order by n.nspname <> 'public', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)), '[]')::text
from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
where p.prokind in ('f', 'p', 'w') and n.nspname not in ('joinery', 'information_schema') and n.nspname not like 'pg\\_%'
  and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;

/** Queries the SQL that creates or replaces a function. Null for a function that does not exist anymore. */
export function useDefinition(source: string, { oid }: DatabaseFunction) {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'function-definition', source, oid],
    queryFn: async ({ signal }) => {
      const sql = `select pg_get_functiondef(oid) from pg_proc where oid = ${oid}`;
      const [row] = await readRows(client, source, sql, signal);
      return row?.[0] ?? null;
    },
  });
}

export type Exposure = 'query' | 'mutation';

export async function trackFunction(
  client: Client,
  source: string,
  { schema, name }: TableName,
  exposedAs: Exposure,
): Promise<void> {
  const configuration = { exposed_as: exposedAs };
  await client.command('pg_track_function', { source, function: { schema, name }, configuration });
}

export async function untrackFunction(client: Client, source: string, { schema, name }: TableName): Promise<void> {
  await client.command('pg_untrack_function', { source, function: { schema, name } });
}

export async function setFunctionRole(
  client: Client,
  source: string,
  { schema, name }: TableName,
  role: string,
  granted: boolean,
): Promise<void> {
  const type = granted ? 'pg_create_function_permission' : 'pg_drop_function_permission';
  await client.command(type, { source, function: { schema, name }, role });
}
