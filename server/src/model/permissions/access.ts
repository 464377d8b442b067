/** The access of a role to the rows of a table or function. */
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

/** The role's access, unrestricted for `admin`; undefined if the role may not select from the table. */
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
    aggregations: table.native === undefined,
    queryRoots: queryRoots(table, columns, true),
    subscriptionRoots: subscriptionRoots(table, columns, true),
  };
  ofAdmin.set(table, access);
  return access;
}

/** The query root fields that are possible with these columns. `select_by_pk` needs all columns of the primary key. */
export function queryRoots(table: Table, columns: ReadonlySet<Column>, aggregations: boolean): Set<RootKind> {
  const roots = new Set<RootKind>(['select']);
  if (table.primaryKey?.every((column) => columns.has(column))) roots.add('select_by_pk');
  if (aggregations) roots.add('select_aggregate');
  return roots;
}

/** The subscription root fields that are possible: those of queries, and a stream if a column can be its cursor. */
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

/** The columns that can be the cursor of a stream: ordered, and visible to the role in every row. */
export function streamColumns(columns: ReadonlySet<Column>, cells?: Cells): readonly Column[] {
  return [...columns].filter((column) => cursorFamilies.has(column.type.family) && !cells?.has(column));
}

const cursorFamilies: ReadonlySet<TypeFamily> = new Set([
  ...(['boolean', 'number', 'text', 'citext', 'time', 'interval', 'uuid', 'bytes', 'enum'] as const),
  ...(['array', 'range', 'network', 'ltree', 'jsonb'] as const),
]);

/** The role's access to the rows of a function; undefined if it may not call the function. */
export function functionAccess(one: TableFunction, role: RoleName): SelectAccess | undefined {
  const allowed = role === ADMIN_ROLE || one.inferred || one.roles.has(role);
  return allowed ? selectAccess(one.table, role) : undefined;
}
