/** SQL that lists what depends on an object of the database. Pure. */
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { qualifiedName, sqlText } from '../../../../shared/sql/sql-names.ts';

export type DatabaseObject =
  | { readonly kind: 'table'; readonly table: TableName }
  | { readonly kind: 'column'; readonly table: TableName; readonly column: string }
  | { readonly kind: 'constraint'; readonly table: TableName; readonly constraint: string }
  | { readonly kind: 'type'; readonly type: TableName }
  | { readonly kind: 'function'; readonly oid: number; readonly called: TableName };

export interface DatabaseDependent {
  /** As `pg_describe_object` writes it. */
  readonly description: string;
  /** Whether it prevents a drop without `cascade`. Otherwise PostgreSQL drops it too. */
  readonly blocks: boolean;
  /** The name of a table or view, or of the table of a column. */
  readonly table: TableName | null;
  readonly column: string | null;
  /** The name of a function. */
  readonly called: TableName | null;
}

/** One row and column with a JSON list of `DatabaseDependent`. Defaults and internal objects are left out. */
export function dependentsSql(object: DatabaseObject): string {
  return `with recursive target (classid, objid, objsubid) as (${targetSql(object)}),
found (classid, objid, objsubid, blocks, internal) as (
  select classid, objid, objsubid, false, true from target
  union
  select o.classid, o.objid, o.objsubid, d.deptype = 'n', d.deptype in ('i', 'e')
  from found f
    join pg_depend d on d.refclassid = f.classid and d.refobjid = f.objid and (f.objsubid = 0 or d.refobjsubid = f.objsubid)
    cross join lateral (
      select case when d.classid = 'pg_rewrite'::regclass then 'pg_class'::regclass::oid else d.classid end as classid,
        case when d.classid = 'pg_rewrite'::regclass then (select w.ev_class from pg_rewrite w where w.oid = d.objid) else d.objid end as objid,
        d.objsubid
    ) o
),
listed as (
  select f.classid, f.objid, f.objsubid, bool_and(f.blocks) as blocks from found f, target t
  where not f.internal and not (f.classid = t.classid and f.objid = t.objid and (t.objsubid = 0 or f.objsubid = t.objsubid))
  group by 1, 2, 3
)
select coalesce(json_agg(json_build_object(
  'description', pg_describe_object(l.classid, l.objid, l.objsubid),
  'blocks', l.blocks,
  'table', (select json_build_object('schema', n.nspname, 'name', c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where l.classid = 'pg_class'::regclass and c.oid = l.objid and c.relkind in ('r', 'p', 'v', 'm', 'f')),
  'column', (select a.attname from pg_attribute a
    where l.classid = 'pg_class'::regclass and l.objsubid > 0 and a.attrelid = l.objid and a.attnum = l.objsubid),
  'called', (select json_build_object('schema', n.nspname, 'name', p.proname) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where l.classid = 'pg_proc'::regclass and p.oid = l.objid)
) order by l.blocks desc, pg_describe_object(l.classid, l.objid, l.objsubid)), '[]')::text
from (select * from listed order by blocks desc limit 200) l, target t
where l.blocks or (l.classid <> 'pg_attrdef'::regclass and (t.objsubid > 0 or t.classid <> 'pg_class'::regclass
  or (l.classid = 'pg_class'::regclass and exists (select from pg_class c where c.oid = l.objid and c.relkind in ('r', 'p', 'v', 'm', 'f')))))`;
}

function targetSql(object: DatabaseObject): string {
  const relation = (table: TableName): string => `to_regclass(${sqlText(qualifiedName(table))})`;
  switch (object.kind) {
    case 'table':
      return `select 'pg_class'::regclass::oid, ${relation(object.table)}::oid, 0`;
    case 'column':
      return `select 'pg_class'::regclass::oid, a.attrelid, a.attnum::int from pg_attribute a
    where a.attrelid = ${relation(object.table)} and a.attname = ${sqlText(object.column)}`;
    case 'constraint':
      return `select 'pg_constraint'::regclass::oid, c.oid, 0 from pg_constraint c
    where c.conrelid = ${relation(object.table)} and c.conname = ${sqlText(object.constraint)}`;
    case 'type':
      return `select 'pg_type'::regclass::oid, to_regtype(${sqlText(qualifiedName(object.type))})::oid, 0`;
    case 'function':
      return `select 'pg_proc'::regclass::oid, ${object.oid}::oid, 0`;
    default:
      return object satisfies never;
  }
}
