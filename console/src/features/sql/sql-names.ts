/** Completion of schemas, tables and columns from the catalog of a source. */
import { PostgreSQL, schemaCompletionSource } from '@codemirror/lang-sql';
import { useQuery } from '@tanstack/react-query';
import type { Extension } from '@uiw/react-codemirror';
import { useMemo } from 'react';
import type { Client } from '../../api/client.ts';
import { useClient } from '../../api/context.ts';
import { runSql } from '../../shared/sql/sql-api.ts';

/** The columns of the tables of the schemas. */
type SqlNames = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** The query whose data are the names; SQL that changes the catalog makes them stale. */
export const sqlNamesKey = ['sql-names'] as const;

/** Each row is one schema, with its tables and their columns as JSON: a result has at most 1,000 rows. */
const catalogSql = `
  select schema, json_object_agg(name, columns) from (
    select n.nspname as schema, c.relname as name, json_agg(a.attname order by a.attnum) as columns
    from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast', 'joinery') and n.nspname not like 'pg\\_temp%'
    group by 1, 2
  ) tables group by schema`;

/** Returns an extension of the editor that completes the names of a source, as soon as they are read. */
export function useNameCompletion(source: string): Extension {
  const client = useClient();
  const { data } = useQuery({
    queryKey: [...sqlNamesKey, source],
    queryFn: ({ signal }) => readNames(client, source, signal),
    staleTime: 300_000,
  });
  return useMemo(() => completionOf(data ?? {}), [data]);
}

function completionOf(names: SqlNames): Extension {
  const completion = schemaCompletionSource({ dialect: PostgreSQL, schema: names, defaultSchema: 'public' });
  return PostgreSQL.language.data.of({ autocomplete: completion });
}

async function readNames(client: Client, source: string, signal: AbortSignal): Promise<SqlNames> {
  const request = { source, sql: catalogSql, readOnly: true, cascade: false, check: undefined };
  const { value } = await runSql(client, request, signal);
  const rows = value.statements[0]?.rows ?? [];
  return Object.fromEntries(rows.map(([schema, tables]) => [schema ?? '', JSON.parse(tables ?? '{}')]));
}
