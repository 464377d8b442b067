/** The last stage of resolve for tables: what each role may select. */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { SelectPermissionEntry, TableEntry } from '@joinery/metadata/tables';
import { ServiceError } from '../base/errors.ts';
import { queryRoots, subscriptionRoots } from './access.ts';
import type { Draft, DraftTable } from './draft.ts';
import { parsePredicate } from './predicate.ts';
import { listed, type PredicateContext } from './predicate-context.ts';
import { sessionOperand } from './predicate-values.ts';
import type { Column, Operand, SelectAccess, SubscriptionRootKind, Table } from './table-model.ts';
import { draftTables, keyOf, reportSelectPermission } from './written-objects.ts';

/** Fills `selectAccess` of every table. */
export function resolvePermissions(draft: Draft): void {
  const whyMissing = missingRelationships(draft);
  for (const { written, table } of draftTables(draft)) {
    const seen = new Set<string>();
    for (const [index, entry] of (written.entry.select_permissions ?? []).entries()) {
      const taken = whyTaken(entry, seen);
      if (taken !== undefined) {
        reportSelectPermission(draft, written, index, entry, 'already-exists', taken);
        continue;
      }
      seen.add(entry.role);
      try {
        const access = resolveSelect(draft, table, written.entry, entry, whyMissing);
        if (!table.hidden) table.selectAccess.set(entry.role, access);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        // Wherever in it something is wrong, it is the permission that does not fit.
        const reason = `at ${error.path.slice(2)}: ${error.message}`;
        const inside = `.permission${error.path.slice(1)}`;
        reportSelectPermission(draft, written, index, entry, 'invalid-configuration', reason, inside);
      }
    }
  }
}

function whyTaken({ role }: SelectPermissionEntry, seen: ReadonlySet<string>): string | undefined {
  if (role === ADMIN_ROLE) return 'the role "admin" may select everything already';
  return seen.has(role) ? 'the role has a select permission already' : undefined;
}

/** `path` leads into the permission, which is `$`. */
function unfit(path: string, reason: string): ServiceError {
  return new ServiceError('invalid-configuration', reason, { path });
}

function resolveSelect(
  draft: Draft,
  table: DraftTable,
  written: TableEntry,
  { permission }: SelectPermissionEntry,
  whyMissing: PredicateContext['whyMissing'],
): SelectAccess {
  checkComputedFields(written, permission.computed_fields ?? []);
  const columns = columnsOf(table, permission.columns);
  const aggregations = permission.allow_aggregations ?? false;
  return {
    columns,
    filter: parsePredicate(permission.filter, {
      table,
      naming: 'columns',
      path: '$.filter',
      operand: ruleOperand(draft.input.sessionPrefix),
      tableNamed: (schema, name) => draft.sources.get(table.source)?.tables.get(keyOf({ schema, name })),
      ...(whyMissing && { whyMissing }),
    }),
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

function columnsOf(table: Table, written: SelectPermissionEntry['permission']['columns']): ReadonlySet<Column> {
  if (written === '*') return new Set(table.columns.values());
  const columns = written.map((name, index) => {
    const column = table.columnsByName.get(name);
    if (column === undefined) {
      throw unfit(
        `$.columns[${index}]`,
        `the table has no column "${name}"; it has ${listed(table.columnsByName.keys())}`,
      );
    }
    return column;
  });
  return new Set(columns.filter((column) => table.columns.has(column.field)));
}

/** Computed fields are not served; a permission may go on naming those that the table has. */
function checkComputedFields(written: TableEntry, names: readonly string[]): void {
  const computed = Array.isArray(written.computed_fields) ? written.computed_fields : [];
  const known = new Set(computed.map((one: unknown) => (one as { readonly name?: unknown } | null)?.name));
  const missing = names.findIndex((name) => !known.has(name));
  if (missing < 0) return;
  throw unfit(`$.computed_fields[${missing}]`, `the table has no computed field "${names[missing]}"; leave it out`);
}

/** The possible root fields, or those of them that are asked for. One that is not possible is refused. */
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
      if (primaryKey === undefined) throw unfit(path, 'the table has no primary key; leave it out');
      throw unfit(path, 'the role may not see the whole primary key; add it to the columns');
    case 'select_stream':
      throw unfit(path, 'the role may see no column that a stream could follow; leave it out');
    default:
      throw unfit(path, 'allow_aggregations is not set; set it to true');
  }
}

/** The prefix of the reference, which metadata written for it carries. */
const REFERENCE_PREFIX = 'x-hasura-';

/** Taken for a plain string, a session variable of another prefix could open rows to everyone (`_neq`). */
function ruleOperand(prefix: string): (value: unknown) => Operand | undefined {
  const session = sessionOperand(prefix);
  return (value) => {
    if (prefix !== REFERENCE_PREFIX && sessionOperand(REFERENCE_PREFIX)(value) !== undefined) {
      throw new ServiceError(
        'validation-failed',
        `"${value}" is no session variable here: those start with "${prefix}"; rename it, or set the header prefix of the service to "X-Hasura-"`,
      );
    }
    return session(value);
  };
}

/** Names the cause where a rule uses a relationship that is written but not in the draft. */
function missingRelationships(draft: Draft): PredicateContext['whyMissing'] {
  const entries = new Map<Table, TableEntry>(draftTables(draft).map(({ table, written }) => [table, written.entry]));
  return (table, name) => {
    const entry = entries.get(table);
    const base = name.replace(/_aggregate$/, '');
    const within = [...(entry?.object_relationships ?? []), ...(entry?.array_relationships ?? [])];
    if (within.some((one) => one.name === name || one.name === base)) {
      return `relationship "${base}" of table "${table.name}" was dropped as inconsistent; mend it first`;
    }
    if (entry?.remote_relationships?.some((one) => one.name === name || one.name === base)) {
      return `"${name}" is a remote relationship, which a rule cannot follow`;
    }
    return undefined;
  };
}
