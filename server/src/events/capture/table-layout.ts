/** Reads how the columns of a table are stored in packed statements. */
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import type { CaptureTrigger, PackedColumn, TableLayout } from './captured-trigger.ts';

/**
 * Types of pg_catalog are stored as they are, without domains; enums, and arrays of both, as text; other types, such as composites and
 * those of extensions, as the JSON that row_to_json prints, and so are arrays whose text depends on settings or on other objects.
 */
const read = fixedStatement(
  ['schema', 'name'],
  ['column', 'number', 'oid', 'virtual', 'type', 'how', 'restored'],
  (from) => sql`with recursive bare (number, oid) as (
      select a.attnum, a.atttypid from pg_catalog.pg_attribute a
        join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace s on s.oid = c.relnamespace
      where s.nspname = ${from.schema} and c.relname = ${from.name} and a.attnum > 0 and not a.attisdropped
      union all
      select b.number, t.typbasetype from bare b join pg_catalog.pg_type t on t.oid = b.oid where t.typtype = 'd'
    )
    select a.attname as column, a.attnum as number, a.atttypid as oid, a.attgenerated = 'v' as virtual,
      case
        when form.plain then 'pg_catalog.' || pg_catalog.quote_ident(t.typname)
        when form.list or t.typtype = 'e' then 'pg_catalog.text'
        else 'pg_catalog.json'
      end as type,
      case
        when form.plain and t.oid = a.atttypid then 'plain' when form.plain or form.list or t.typtype = 'e' then 'cast' else 'json'
      end as how,
      case
        when form.list then 'pg_catalog.' || pg_catalog.quote_ident(case e.typtype when 'e' then '_text' else t.typname end)
      end as restored
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace s on s.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join bare b on b.number = a.attnum
    join pg_catalog.pg_type t on t.oid = b.oid and t.typtype <> 'd'
    left join pg_catalog.pg_type e on e.oid = t.typelem and e.typarray = t.oid
    cross join lateral (
      select t.typnamespace = 'pg_catalog'::regnamespace and t.typtype in ('b', 'r', 'm') and t.typcategory <> 'A'
          and t.typarray <> 0 as plain,
        t.typcategory = 'A' and coalesce(
          e.typtype = 'e' or e.typnamespace = 'pg_catalog'::regnamespace and e.typtype = 'b'
            and e.typcategory not in ('D', 'T', 'R') and e.typname not like 'reg%', false
        ) as list
    ) form
    where s.nspname = ${from.schema} and c.relname = ${from.name}
    order by a.attnum`,
);

/** Returns undefined for a table with virtual generated columns, which triggers do not see, and for one without columns. */
export async function readTableLayout(
  query: Query,
  { schema, name }: CaptureTrigger['table'],
): Promise<TableLayout | undefined> {
  const rows = await read.rows(query, { schema, name });
  if (rows.length === 0 || rows.some(({ virtual }) => virtual === 't')) return undefined;
  return {
    fingerprint: rows.map(({ number, oid, column }) => `${number} ${oid} ${column}`).join(','),
    columns: rows.map(({ column, number, type, how, restored }) => ({
      name: column ?? '',
      number: Number(number),
      type: type ?? '',
      how: how === 'plain' || how === 'cast' ? how : 'json',
      restored: restored ?? undefined,
      isExact: how !== 'json',
    })) satisfies PackedColumn[],
  };
}
