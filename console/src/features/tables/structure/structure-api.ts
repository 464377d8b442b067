/** Structure of a table that `pg_get_table_info` does not describe: constraints, indexes, triggers, types and dependents. */
import { useQuery } from '@tanstack/react-query';
import type { Client } from '../../../api/client.ts';
import { useClient } from '../../../api/context.ts';
import type { ComputedField } from '../../../shared/sources/sources-api.ts';
import type { TableName } from '../../../shared/sources/table-paths.ts';
import { readRows } from '../../../shared/sql/read-rows.ts';
import { qualifiedName, sqlText } from '../../../shared/sql/sql-names.ts';
import type { EnumType } from './enum-types-api.ts';
import type { PresentFunction } from './sql/function-sql.ts';
import { progressSql } from './sql/index-sql.ts';

/** Primary key, unique key, foreign key, check or exclusion. */
export type ConstraintKind = 'p' | 'u' | 'f' | 'c' | 'x';

export interface Constraint {
  readonly name: string;
  readonly kind: ConstraintKind;
  readonly columns: readonly string[];
  /** As `pg_get_constraintdef` prints it. */
  readonly definition: string;
  /** False for a constraint that present rows may violate. */
  readonly validated: boolean;
  readonly comment: string | null;
}

/** A foreign key of another table, or of this one, that references the table. */
export interface Reference extends TableName {
  readonly constraint: string;
  readonly definition: string;
}

export interface TableIndex {
  readonly name: string;
  readonly definition: string;
  readonly unique: boolean;
  /** False after a failed `create index concurrently`. */
  readonly valid: boolean;
  readonly bytes: number;
  /** The constraint that owns the index. */
  readonly constraint: string | null;
  /** Scans since the statistics were reset. */
  readonly scans: number;
  readonly comment: string | null;
}

export interface TableTrigger {
  readonly name: string;
  readonly definition: string;
  readonly enabled: boolean;
  readonly comment: string | null;
}

/** A function that uses the table: it has a row as argument, returns rows, or is called by a trigger. */
export interface TableFunction extends PresentFunction {
  /** Whether an argument is a row of the table. */
  readonly takes_row: boolean;
  readonly result: string;
  /** Immutable, stable or volatile. */
  readonly volatility: 'i' | 's' | 'v';
}

export interface Structure {
  readonly constraints: readonly Constraint[];
  readonly references: readonly Reference[];
  readonly indexes: readonly TableIndex[];
  readonly triggers: readonly TableTrigger[];
  readonly enums: readonly EnumType[];
  readonly functions: readonly TableFunction[];
  /** Views whose SQL reads the table. */
  readonly views: readonly TableName[];
  /** The SQL of a view. */
  readonly view: string | null;
  /** Storage parameters: `security_barrier=true`. */
  readonly options: readonly string[];
  /** Bytes with indexes. */
  readonly bytes: number;
}

export function useStructure(source: string, table: TableName) {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'structure', source, table.schema, table.name],
    queryFn: ({ signal }) => readStructure(client, source, table, signal),
  });
}

async function readStructure(
  client: Client,
  source: string,
  table: TableName,
  signal: AbortSignal,
): Promise<Structure | undefined> {
  const [row] = await readRows(client, source, structureSql(table), signal);
  return row?.[0] === undefined ? undefined : (JSON.parse(row[0]) as Structure);
}

export async function addComputedField(
  client: Client,
  source: string,
  table: TableName,
  { name, definition, comment }: ComputedField,
): Promise<void> {
  await client.command('pg_add_computed_field', { source, table, name, definition, ...(comment && { comment }) });
}

/** Fails when permissions use the field, unless `cascade` removes them. */
export async function dropComputedField(
  client: Client,
  source: string,
  table: TableName,
  name: string,
  cascade: boolean,
): Promise<void> {
  await client.command('pg_drop_computed_field', { source, table, name, cascade });
}

export interface IndexProgress {
  readonly phase: string;
  /** From 0 to 1. Undefined while PostgreSQL does not count. */
  readonly part: number | undefined;
}

/** Returns the progress of an index that is created. Null before and after. */
export async function readIndexProgress(
  client: Client,
  source: string,
  table: TableName,
  signal: AbortSignal,
): Promise<IndexProgress | null> {
  const [row = []] = await readRows(client, source, progressSql(table), signal);
  const [phase, ...counts] = row;
  if (phase === undefined) return null;
  const [blocks = 0, allBlocks = 0, tuples = 0, allTuples = 0] = counts.map(Number);
  const part = allTuples > 0 ? tuples / allTuples : allBlocks > 0 ? blocks / allBlocks : undefined;
  return { phase, part };
}

function structureSql(table: TableName): string {
  const list = (value: string, from: string): string => `(select coalesce(json_agg(${value}), '[]') from ${from})`;
  const columns = (keys: string, relation: string): string =>
    `(select coalesce(json_agg(a.attname order by k.at), '[]') from unnest(${keys}) with ordinality k(number, at)
      join pg_attribute a on a.attrelid = ${relation} and a.attnum = k.number)`;
  const constraint = `json_build_object('name', c.conname, 'kind', c.contype, 'columns', ${columns('c.conkey', 'c.conrelid')},
    'definition', pg_get_constraintdef(c.oid, true), 'validated', c.convalidated, 'comment', obj_description(c.oid, 'pg_constraint')) order by c.conname`;
  const reference = `json_build_object('schema', n.nspname, 'name', o.relname, 'constraint', c.conname,
    'definition', pg_get_constraintdef(c.oid, true)) order by n.nspname, o.relname, c.conname`;
  const index = `json_build_object('name', o.relname, 'definition', pg_get_indexdef(i.indexrelid), 'unique', i.indisunique,
    'valid', i.indisvalid, 'bytes', pg_relation_size(i.indexrelid), 'constraint',
    (select c.conname from pg_constraint c where c.conindid = i.indexrelid and c.conrelid = i.indrelid and c.contype in ('p', 'u', 'x')),
    'scans', coalesce(pg_stat_get_numscans(i.indexrelid), 0), 'comment', obj_description(i.indexrelid, 'pg_class')) order by o.relname`;
  const trigger = `json_build_object('name', g.tgname, 'definition', pg_get_triggerdef(g.oid, true),
    'enabled', g.tgenabled <> 'D', 'comment', obj_description(g.oid, 'pg_trigger')) order by g.tgname`;
  const enumType = `json_build_object('schema', n.nspname, 'name', y.typname,
    'values', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = y.oid),
    'columns', (select json_agg(a.attname order by a.attnum) from pg_attribute a join pg_type s on s.oid = a.atttypid
      where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and y.oid in (s.oid, s.typelem)),
    'comment', obj_description(y.oid, 'pg_type')) order by n.nspname, y.typname`;
  const routine = `json_build_object('oid', p.oid::int8, 'schema', n.nspname, 'name', p.proname,
    'takes_row', t.reltype = any (p.proargtypes), 'arguments', pg_get_function_arguments(p.oid),
    'identity', pg_get_function_identity_arguments(p.oid), 'result', pg_get_function_result(p.oid), 'volatility', p.provolatile,
    'definition', pg_get_functiondef(p.oid), 'comment', obj_description(p.oid, 'pg_proc')) order by n.nspname, p.proname`;
  const view = `json_build_object('schema', d.nspname, 'name', d.relname) order by d.nspname, d.relname`;
  return `select json_build_object(
  'constraints', ${list(constraint, `pg_constraint c where c.conrelid = t.oid and c.contype in ('p', 'u', 'f', 'c', 'x')`)},
  'references', ${list(
    reference,
    `pg_constraint c join pg_class o on o.oid = c.conrelid join pg_namespace n on n.oid = o.relnamespace
    where c.confrelid = t.oid and c.contype = 'f'`,
  )},
  'indexes', ${list(index, 'pg_index i join pg_class o on o.oid = i.indexrelid where i.indrelid = t.oid')},
  'triggers', ${list(trigger, 'pg_trigger g where g.tgrelid = t.oid and not g.tgisinternal')},
  'enums', ${list(
    enumType,
    `pg_type y join pg_namespace n on n.oid = y.typnamespace where y.typtype = 'e' and exists (
      select from pg_attribute a join pg_type s on s.oid = a.atttypid
      where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and y.oid in (s.oid, s.typelem))`,
  )},
  'functions', ${list(
    routine,
    `pg_proc p join pg_namespace n on n.oid = p.pronamespace where p.prokind = 'f' and n.nspname <> 'joinery'
      and (t.reltype = any (p.proargtypes) or p.prorettype = t.reltype or exists (
        select from pg_trigger g where g.tgrelid = t.oid and g.tgfoid = p.oid and not g.tgisinternal))`,
  )},
  'views', ${list(
    view,
    `(select distinct n.nspname, o.relname from pg_depend e join pg_rewrite r on r.oid = e.objid and e.classid = 'pg_rewrite'::regclass
      join pg_class o on o.oid = r.ev_class join pg_namespace n on n.oid = o.relnamespace
      where e.refclassid = 'pg_class'::regclass and e.refobjid = t.oid and o.oid <> t.oid) d`,
  )},
  'view', case when t.relkind in ('v', 'm') then pg_get_viewdef(t.oid, true) end,
  'options', to_json(coalesce(t.reloptions, '{}')),
  'bytes', pg_total_relation_size(t.oid))::text
from pg_class t where t.oid = to_regclass(${sqlText(qualifiedName(table))})`;
}
