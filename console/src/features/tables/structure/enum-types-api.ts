/** Enum types of a source, with the columns that have them. */
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../../api/context.ts';
import type { TableName } from '../../../shared/sources/table-paths.ts';
import { readRows } from '../../../shared/sql/read-rows.ts';

/** An enum type of columns, or of their elements. */
export interface EnumType extends TableName {
  readonly values: readonly string[];
  /** Columns of one table, or with the names of their tables. */
  readonly columns: readonly string[];
  readonly comment: string | null;
}

/** Queries all enum types except those of extensions. */
export function useEnumTypes(source: string) {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'enum-types', source],
    queryFn: async ({ signal }) => {
      const [row] = await readRows(client, source, enumTypesSql, signal);
      return JSON.parse(row?.[0] ?? '[]') as readonly EnumType[];
    },
  });
}

const columnsSql = `select json_agg(case n.nspname when 'public' then '' else n.nspname || '.' end || t.relname || '.' || a.attname
    order by n.nspname, t.relname, a.attnum)
  from pg_attribute a join pg_class t on t.oid = a.attrelid join pg_namespace n on n.oid = t.relnamespace
  where a.atttypid in (y.oid, y.typarray) and a.attnum > 0 and not a.attisdropped and t.relkind in ('r', 'p', 'f')`;

const enumTypesSql = `select coalesce(json_agg(json_build_object('schema', n.nspname, 'name', y.typname,
  'values', coalesce((select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = y.oid), '[]'),
  'columns', coalesce((${columnsSql}), '[]'),
  'comment', obj_description(y.oid, 'pg_type')) order by n.nspname <> 'public', n.nspname, y.typname), '[]')::text
from pg_type y join pg_namespace n on n.oid = y.typnamespace
where y.typtype = 'e' and n.nspname not in ('joinery', 'information_schema') and n.nspname not like 'pg\\_%'
  and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = y.oid and d.deptype = 'e')`;
