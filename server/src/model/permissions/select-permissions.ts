/** The stage of resolve for select permissions. */

import type { SelectPermissionEntry } from '@joinery/metadata/schema/permissions';
import type { TableEntry } from '@joinery/metadata/schema/tables';
import { printJson } from '../../base/json-value.ts';
import type { Steps } from '../../base/steps.ts';
import { draftTables } from '../inconsistencies/metadata-entries.ts';
import type { Draft, DraftTable } from '../types/draft.ts';
import type { ComputedField, SelectAccess, SubscriptionRootKind, Table } from '../types/table.ts';
import { queryRoots, subscriptionRoots } from './access.ts';
import {
  addPermissions,
  invalidPermission,
  permittedColumns,
  type RuleReader,
  ruleReader,
} from './permission-rules.ts';

/** Fills `selectAccess` of every table. Permissions of one text are one and the same object. */
export function* resolvePermissions(draft: Draft): Steps<void> {
  const rules = ruleReader(draft);
  for (const { written, table } of draftTables(draft)) {
    const known = new Map<string, SelectAccess>();
    yield* addPermissions(draft, written, 'select', written.entry.select_permissions, (entry) => {
      const text = textOf(entry);
      const access = known.get(text) ?? resolveSelect(table, written.entry, entry, rules);
      known.set(text, access);
      if (!table.hidden) table.selectAccess.set(entry.role, access);
    });
  }
}

/** The texts of permissions, which a change of other objects leaves alone. */
const texts = new WeakMap<object, string>();

function textOf({ permission }: SelectPermissionEntry): string {
  const text = texts.get(permission) ?? printJson(permission);
  texts.set(permission, text);
  return text;
}

function resolveSelect(
  table: DraftTable,
  written: TableEntry,
  { permission }: SelectPermissionEntry,
  rules: RuleReader,
): SelectAccess {
  const columns = permittedColumns(table, permission.columns);
  const aggregations = permission.allow_aggregations ?? false;
  return {
    columns,
    computedFields: permittedComputed(table, written, permission.computed_fields ?? []),
    filter: rules.predicate(table, permission.filter, '$.filter'),
    limit: permission.limit ?? undefined,
    aggregations,
    queryRoots: rootsOf(queryRoots(table, columns, aggregations), permission.query_root_fields, 'query', table),
    subscriptionRoots: rootsOf(
      subscriptionRoots(table, columns, aggregations),
      permission.subscription_root_fields,
      'subscription',
      table,
    ),
  };
}

/** The scalar computed fields of a permission. Those that return rows depend on the permissions of the returned table. */
function permittedComputed(
  table: DraftTable,
  written: TableEntry,
  names: readonly string[],
): ReadonlySet<ComputedField> {
  const fields = names.map((name, index) => {
    const path = `$.computed_fields[${index}]`;
    const field = table.computedFields.get(name);
    if (field?.result.kind === 'scalar') return field;
    if (field?.result.kind === 'rows') {
      const reason = `select permissions on computed field "${name}" are auto-derived from the permissions on its returning table "${field.result.table.name}" and cannot be specified manually`;
      throw invalidPermission(path, reason);
    }
    const broken = written.computed_fields?.some((one) => one.name === name);
    throw invalidPermission(
      path,
      broken
        ? `computed field "${name}" is itself inconsistent; fix it first`
        : `computed field "${name}" does not exist`,
    );
  });
  return new Set(fields);
}

/** The possible root fields, or the `wanted` ones. Throws if one of those is not possible. */
function rootsOf<Kind extends SubscriptionRootKind>(
  possible: ReadonlySet<Kind>,
  wanted: readonly Kind[] | null | undefined,
  operation: 'query' | 'subscription',
  { primaryKey }: Table,
): ReadonlySet<Kind> {
  if (wanted === null || wanted === undefined) return possible;
  const impossible = wanted.findIndex((root) => !possible.has(root));
  if (impossible < 0) return new Set(wanted);
  const path = `$.${operation}_root_fields[${impossible}]`;
  switch (wanted[impossible]) {
    case 'select_by_pk':
      if (primaryKey === undefined) throw invalidPermission(path, 'the table has no primary key; leave it out');
      throw invalidPermission(path, 'the role may not select the whole primary key; add it to the columns');
    case 'select_stream':
      throw invalidPermission(path, 'the role may select no column that a stream can follow; leave it out');
    default:
      throw invalidPermission(path, 'allow_aggregations is not set; set it to true');
  }
}
