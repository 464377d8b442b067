/** Effective permissions of a table by role and operation. Pure. */
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import type { InheritedRole } from '../../shared/roles/known-names.ts';
import type { PermissionEntry, TableEntry } from '../../shared/sources/sources-api.ts';

export const operations = ['select', 'insert', 'update', 'delete'] as const;
export type Operation = (typeof operations)[number];

/** The permissions of a table in the metadata. */
export type PermittedTable = Pick<
  TableEntry,
  'select_permissions' | 'insert_permissions' | 'update_permissions' | 'delete_permissions'
>;

export interface Access {
  readonly level: 'full' | 'partial' | 'none';
  /** `own`: a permission of the role. `inherited`: from other roles. */
  readonly from: 'admin' | 'own' | 'inherited' | 'none';
  /** Summary such as `by a rule, 3 of 5 columns`. Empty when the level is sufficient. */
  readonly about: string;
}

export function entryOf(table: PermittedTable, operation: Operation, role: string): PermissionEntry | undefined {
  return table[`${operation}_permissions`]?.find((one) => one.role === role);
}

/** Returns all direct and indirect parent roles, sorted. */
export function ancestorsOf(role: string, inherited: readonly InheritedRole[]): readonly string[] {
  const found = new Set<string>();
  const waiting = [role];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    for (const parent of inherited.find((one) => one.role_name === next)?.role_set ?? []) {
      if (parent === role || found.has(parent)) continue;
      found.add(parent);
      waiting.push(parent);
    }
  }
  return [...found];
}

/** Returns the permission of a role. `columns` are the names of all columns. */
export function accessOf(
  table: PermittedTable,
  operation: Operation,
  role: string,
  inherited: readonly InheritedRole[],
  columns: readonly string[],
): Access {
  if (role === 'admin') return { level: 'full', from: 'admin', about: '' };
  const own = entryOf(table, operation, role);
  if (own !== undefined) return { ...ownAccess(own.permission, operation, columns), from: 'own' };
  const parents = inherited.find((one) => one.role_name === role)?.role_set ?? [];
  const levels = parents
    .filter((parent) => parent !== role)
    .map((parent) => {
      const others = inherited.filter((one) => one.role_name !== role);
      return accessOf(table, operation, parent, others, columns).level;
    });
  if (levels.every((level) => level === 'none')) return { level: 'none', from: 'none', about: '' };
  return { level: levels.includes('full') ? 'full' : 'partial', from: 'inherited', about: 'inherited' };
}

function ownAccess(
  permission: JsonObject,
  operation: Operation,
  columns: readonly string[],
): { readonly level: 'full' | 'partial'; readonly about: string } {
  const limits = [
    ...(opensAllRows(permission, operation) ? [] : ['by a rule']),
    ...columnsText(permission, operation, columns),
    ...(typeof permission.limit === 'number' ? [`${permission.limit} rows at a time`] : []),
    ...(hasFewerRoots(permission) ? ['some root fields'] : []),
    ...(permission.backend_only === true ? ['backends only'] : []),
  ];
  return { level: limits.length === 0 ? 'full' : 'partial', about: limits.join(', ') };
}

function hasFewerRoots({ query_root_fields: queries, subscription_root_fields: subscriptions }: JsonObject): boolean {
  return Array.isArray(queries) || Array.isArray(subscriptions);
}

function opensAllRows(permission: JsonObject, operation: Operation): boolean {
  const rules = operation === 'update' ? [permission.filter, permission.check] : [permission[ruleMember(operation)]];
  return rules.every((rule) => rule === undefined || rule === null || isEmpty(rule));
}

/** Whether a rule has no condition and so applies to all rows. */
export function isEmpty(rule: unknown): boolean {
  return isJsonObject(rule) && Object.keys(rule).length === 0;
}

/** Returns the member that holds the row rule. For inserts it checks the new rows. */
export function ruleMember(operation: Operation): 'filter' | 'check' {
  return operation === 'insert' ? 'check' : 'filter';
}

function columnsText(permission: JsonObject, operation: Operation, columns: readonly string[]): readonly string[] {
  if (operation === 'delete') return [];
  const granted = grantedColumns(permission, operation, columns);
  return granted.length === columns.length ? [] : [`${granted.length} of ${columns.length} columns`];
}

/** Returns the columns of a permission. An insert permission without columns allows all. */
export function grantedColumns(
  { columns: written }: JsonObject,
  operation: Operation,
  columns: readonly string[],
): readonly string[] {
  if (written === '*' || (operation === 'insert' && (written === undefined || written === null))) return columns;
  return Array.isArray(written) ? columns.filter((one) => written.includes(one)) : [];
}

/** Whether the role's own permission allows counting rows. Ignores inherited permissions. */
export function canCount(table: PermittedTable, role: string): boolean {
  const { allow_aggregations, query_root_fields: roots } = entryOf(table, 'select', role)?.permission ?? {};
  return allow_aggregations === true && (!Array.isArray(roots) || roots.includes('select_aggregate'));
}
