/** What a role may see of a table. */
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import { everyRow } from '../predicate/combinators.ts';
import type { TypeFamily } from '../types/column-type.ts';
import type {
  Cells,
  Column,
  RootKind,
  SelectAccess,
  SubscriptionRootKind,
  Table,
  TableFunction,
} from '../types/table.ts';

const ofAdmin = new WeakMap<Table, SelectAccess>();

/** The role's access, the whole table for `admin`; undefined when the role may not select from the table. */
export function selectAccess(table: Table, role: RoleName): SelectAccess | undefined {
  if (table.hidden) return undefined;
  if (role !== ADMIN_ROLE) return table.selectAccess.get(role);
  const known = ofAdmin.get(table);
  if (known !== undefined) return known;
  const columns = new Set(table.columns.values());
  const access: SelectAccess = {
    columns,
    computedFields: new Set(
      [...(table.computedFields?.values() ?? [])].filter(({ result }) => result.kind === 'scalar'),
    ),
    filter: everyRow,
    limit: undefined,
    aggregations: true,
    queryRoots: queryRoots(table, columns, true),
    subscriptionRoots: subscriptionRoots(table, columns, true),
  };
  ofAdmin.set(table, access);
  return access;
}

/** The root fields that make sense with these columns: a row is found by its key only where the whole key may be seen. */
export function queryRoots(table: Table, columns: ReadonlySet<Column>, aggregations: boolean): Set<RootKind> {
  const roots = new Set<RootKind>(['select']);
  if (table.primaryKey?.every((column) => columns.has(column))) roots.add('select_by_pk');
  if (aggregations) roots.add('select_aggregate');
  return roots;
}

/** Those of queries, and streams where there is a column to follow. */
export function subscriptionRoots(
  table: Table,
  columns: ReadonlySet<Column>,
  aggregations: boolean,
  cells?: Cells,
): Set<SubscriptionRootKind> {
  const roots = new Set<SubscriptionRootKind>(queryRoots(table, columns, aggregations));
  if (streamColumns(columns, cells).length > 0) roots.add('select_stream');
  return roots;
}

/** Columns that have an order which a stream can follow, and that the role sees in every row. */
export function streamColumns(columns: ReadonlySet<Column>, cells?: Cells): readonly Column[] {
  return [...columns].filter((column) => followed.has(column.type.family) && !cells?.has(column));
}

const followed: ReadonlySet<TypeFamily> = new Set([
  ...(['boolean', 'number', 'text', 'citext', 'time', 'interval', 'uuid', 'bytes', 'enum'] as const),
  ...(['array', 'range', 'network', 'ltree', 'jsonb'] as const),
]);

/** What the role sees of the rows of a function; undefined when it may not call it. */
export function functionAccess(one: TableFunction, role: RoleName): SelectAccess | undefined {
  const allowed = role === ADMIN_ROLE || one.inferred || one.roles.has(role);
  return allowed ? selectAccess(one.table, role) : undefined;
}
