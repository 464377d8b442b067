/** Reads details of one table that its catalog entry does not have: an estimate of its rows, and SQL types of its columns. */

import type { Database } from '../client/pool.ts';
import { fixedStatement } from '../sql/rows.ts';
import { sql } from '../sql/sql.ts';

export interface TableDetails {
  /** From the statistics and the size of the table; null without them, as for views. */
  readonly estimatedRows: number | null;
  /** The columns by name. */
  readonly columns: ReadonlyMap<string, ColumnDetails>;
}

export interface ColumnDetails {
  /** With its length or precision, such as `character varying(20)`. */
  readonly sqlType: string;
  /** The expression of a default, or of a generated column. */
  readonly expression: string | null;
}

// The statistics have the rows of a page at the last vacuum or analyze; the file size has the current number of pages.
// A partitioned table has no rows of its own.
const readDetails = fixedStatement(['schema', 'name'], ['estimate', 'columns'], ({ schema, name }) => {
  return sql`with wanted as (
    select c.oid, c.relkind
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = ${name}
  ),
  parts as (
    select p.reltuples, p.relpages, pg_catalog.pg_relation_size(p.oid) / current_setting('block_size')::int as pages
    from wanted w
    cross join lateral (
      select w.oid as part
      union
      select t.relid from pg_catalog.pg_partition_tree(w.oid) t where w.relkind = 'p' and t.isleaf
    ) one
    join pg_catalog.pg_class p on p.oid = one.part and p.relkind in ('r', 'm')
  )
  select
    (
      select case
        when bool_or(pages > 0 and relpages = 0) then null
        else round(sum(case when pages = 0 then 0 else reltuples / nullif(relpages, 0) * pages end))
      end
      from parts
    ) as estimate,
    (
      select json_agg(json_build_array(
        a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), pg_catalog.pg_get_expr(d.adbin, d.adrelid)
      ))
      from wanted w
      join pg_catalog.pg_attribute a on a.attrelid = w.oid and a.attnum > 0 and not a.attisdropped
      left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    ) as columns`;
});

/** Reads the details. Those of a missing table are empty. */
export async function readTableDetails(query: Database['query'], schema: string, name: string): Promise<TableDetails> {
  const row = await readDetails.row(query, { schema, name });
  const list = JSON.parse(row?.columns ?? '[]') as [string, string, string | null][];
  const estimate = row?.estimate;
  return {
    estimatedRows: estimate === null || estimate === undefined ? null : Number(estimate),
    columns: new Map(list.map(([column, sqlType, expression]) => [column, { sqlType, expression }])),
  };
}
