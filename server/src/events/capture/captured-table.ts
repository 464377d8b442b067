/** Reads from the catalog what capture depends on: the columns of a table and how its rows can be changed. */
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import type { CapturedColumn, CaptureTrigger, TableLayout } from './captured-trigger.ts';
import { readTableLayout } from './table-layout.ts';

export interface CapturedTable {
  /** `r`, `p` (partitioned), `f` (foreign), `v`, `m`: as in pg_class. Views and materialized views cannot be captured. */
  readonly kind: string;
  /** Whether statements on other tables change rows of this one: partitions, inheritance. */
  readonly related: boolean;
  readonly columns: readonly CapturedColumn[];
  /** Virtual generated columns, of PostgreSQL 18 and up. Triggers do not see their values: they are null in events. */
  readonly virtual: readonly string[];
  readonly layout: TableLayout | undefined;
}

/**
 * Types with `=` in pg_catalog, which compares whole values: default operator classes of btree, enums, ranges, arrays and domains of
 * them. `box` and `circle` compare areas.
 */
const read = fixedStatement(['schema', 'name'], ['kind', 'related', 'column', 'virtual', 'comparable'], (from) => {
  return sql`with recursive base (oid, base) as (
      select t.oid, t.oid from pg_catalog.pg_attribute a
        join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace s on s.oid = c.relnamespace
        join pg_catalog.pg_type t on t.oid = a.atttypid
      where s.nspname = ${from.schema} and c.relname = ${from.name}
      union
      select b.oid, case t.typtype when 'd' then t.typbasetype else t.typelem end
      from base b join pg_catalog.pg_type t on t.oid = b.base
      where t.typtype = 'd' or t.typcategory = 'A' and t.typelem <> 0
    ), leaf as (
      select b.oid, bool_and(
        t.typtype = 'e'
        or t.typtype in ('r', 'm') and t.typnamespace = 'pg_catalog'::regnamespace
        or t.typtype = 'b' and t.typnamespace = 'pg_catalog'::regnamespace and (
          t.oid = 'pg_catalog.varchar'::regtype
          or exists (
            select from pg_catalog.pg_opclass o join pg_catalog.pg_am m on m.oid = o.opcmethod
            where m.amname = 'btree' and o.opcdefault and o.opcintype = t.oid
          )
        )
      ) as comparable
      from base b join pg_catalog.pg_type t on t.oid = b.base
      where t.typtype <> 'd' and not (t.typcategory = 'A' and t.typelem <> 0)
      group by b.oid
    )
    select c.relkind as kind,
      c.relispartition or exists (
        select from pg_catalog.pg_inherits i where i.inhrelid = c.oid or i.inhparent = c.oid
      ) as related,
      a.attname as column, a.attgenerated = 'v' as virtual, coalesce(l.comparable, false) as comparable
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace s on s.oid = c.relnamespace
    left join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join leaf l on l.oid = a.atttypid
    where s.nspname = ${from.schema} and c.relname = ${from.name}
    order by a.attnum`;
});

/** Returns undefined where the table does not exist. */
export async function readCapturedTable(
  query: Query,
  { schema, name }: CaptureTrigger['table'],
): Promise<CapturedTable | undefined> {
  const rows = await read.rows(query, { schema, name });
  const [first] = rows;
  if (first === undefined) return undefined;
  return {
    layout: await readTableLayout(query, { schema, name }),
    kind: first.kind ?? '',
    related: first.related === 't',
    virtual: rows.flatMap(({ column, virtual }) => (column !== null && virtual === 't' ? [column] : [])),
    columns: rows.flatMap(({ column, comparable }) => {
      if (column === null) return [];
      return [{ name: column, compare: comparable === 't' ? ('value' as const) : ('image' as const) }];
    }),
  };
}

/** Returns whether triggers fire for each statement, which is faster, or must fire for each row. */
export function captureLevel({ kind, related }: CapturedTable, replication: boolean): CaptureTrigger['level'] {
  return kind === 'r' && !related && !replication ? 'statement' : 'row';
}
