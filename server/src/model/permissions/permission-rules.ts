/** Columns and row rules of permissions of all kinds, and the reporting of permissions that are invalid. */
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { BoolExp, PermissionColumns } from '@joinery/metadata/schema/permissions';
import type { TableEntry } from '@joinery/metadata/schema/tables';
import { ServiceError } from '../../base/errors.ts';
import type { Steps } from '../../base/steps.ts';
import {
  draftTables,
  keyOf,
  type PermissionEntry,
  type PermissionKind,
  reportPermission,
  type WrittenTable,
} from '../inconsistencies/metadata-entries.ts';
import { listed, type PredicateContext } from '../predicate/context.ts';
import { parsePredicate } from '../predicate/predicate.ts';
import { sessionOperand } from '../predicate/values.ts';
import type { Draft, DraftTable } from '../types/draft.ts';
import type { Column, Operand, Predicate, Table } from '../types/table.ts';

/** Parses row rules and values of permissions. `path` starts at the permission, which is `$`. */
export interface RuleReader {
  predicate(table: DraftTable, rule: BoolExp, path: string): Predicate;
  /** The session variable that a value names; undefined for a constant. */
  operand(value: unknown): Operand | undefined;
}

/** The most members and items in one row rule, which is parsed and printed without yielding. */
const MOST_RULE_MEMBERS = 100_000;

/** Whether objects and lists at any depth have more than `most` members and items. */
export function hasMoreMembers(value: unknown, most: number): boolean {
  let count = 0;
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    const members: unknown[] = Object.values(next);
    count += members.length;
    if (count > most) return true;
    for (const member of members) waiting.push(member);
  }
  return false;
}

export function ruleReader(draft: Draft): RuleReader {
  const whyMissing = missingRelationships(draft);
  const operand = ruleOperand(draft.input.sessionPrefix);
  return {
    operand,
    predicate: (table, rule, path) => {
      if (hasMoreMembers(rule, MOST_RULE_MEMBERS)) {
        throw invalidPermission(path, `the rule has more than ${MOST_RULE_MEMBERS} members; add such lists in a table`);
      }
      return parsePredicate(rule, {
        table,
        naming: 'columns',
        path,
        operand,
        tableNamed: (schema, name) => draft.sources.get(table.source)?.tables.get(keyOf({ schema, name })),
        ...(whyMissing && { whyMissing }),
      });
    },
  };
}

/** Calls `add` for each entry of one kind. Reports duplicates and entries for which `add` throws. */
export function* addPermissions<Entry extends PermissionEntry>(
  draft: Draft,
  written: WrittenTable,
  kind: PermissionKind,
  entries: readonly Entry[] | undefined,
  add: (entry: Entry) => void,
): Steps<void> {
  const seen = new Set<RoleName>();
  for (const [index, entry] of (entries ?? []).entries()) {
    yield;
    const taken = whyTaken(entry.role, kind, seen);
    if (taken !== undefined) {
      reportPermission(draft, written, kind, index, entry, 'already-exists', taken);
      continue;
    }
    seen.add(entry.role);
    try {
      add(entry);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const reason = `at ${error.path.slice(2)}: ${error.message}`;
      const inside = `.permission${error.path.slice(1)}`;
      reportPermission(draft, written, kind, index, entry, 'invalid-configuration', reason, inside);
    }
  }
}

function whyTaken(role: RoleName, kind: PermissionKind, seen: ReadonlySet<RoleName>): string | undefined {
  if (role === ADMIN_ROLE) return `the role "admin" may ${kind} everything already`;
  return seen.has(role) ? `the role has ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind} permission already` : undefined;
}

/** An error in a permission; `path` starts at the permission, which is `$`. */
export function invalidPermission(path: string, reason: string): ServiceError {
  return new ServiceError('invalid-configuration', reason, { path });
}

/** The column with that SQL name. Throws if there is none. */
export function columnNamed(table: Table, name: string, path: string): Column {
  const column = table.columnsByName.get(name);
  if (column !== undefined) return column;
  throw invalidPermission(path, `the table has no column "${name}"; it has ${listed(table.columnsByName.keys())}`);
}

/** The permitted columns that have a valid GraphQL name. */
export function permittedColumns(table: Table, written: PermissionColumns): ReadonlySet<Column> {
  if (written === '*') return new Set(table.columns.values());
  const columns = written.map((name, index) => columnNamed(table, name, `$.columns[${index}]`));
  return new Set(columns.filter((column) => table.columns.has(column.field)));
}

/** The prefix of session variables in metadata of Hasura v2. */
const HASURA_PREFIX = 'x-hasura-';

/** Rejects a prefix without a name, and session variables of another prefix: as plain strings they could permit all rows (`_neq`). */
function ruleOperand(prefix: string): (value: unknown) => Operand | undefined {
  const session = sessionOperand(prefix);
  return (value) => {
    const lower = typeof value === 'string' ? value.toLowerCase() : undefined;
    if (lower === prefix || lower === HASURA_PREFIX) {
      throw new ServiceError('validation-failed', `"${value}" is the prefix of session variables; add the name of one`);
    }
    if (prefix !== HASURA_PREFIX && sessionOperand(HASURA_PREFIX)(value) !== undefined) {
      throw new ServiceError(
        'validation-failed',
        `"${value}" is not a session variable of this service, whose names start with "${prefix}"; rename it, or set the header prefix of the service to "X-Hasura-"`,
      );
    }
    return session(value);
  };
}

/** Explains why a relationship that the metadata has is not available to a rule. */
function missingRelationships(draft: Draft): PredicateContext['whyMissing'] {
  const entries = new Map<Table, TableEntry>(draftTables(draft).map(({ table, written }) => [table, written.entry]));
  return (table, name) => {
    const entry = entries.get(table);
    const base = name.replace(/_aggregate$/, '');
    const isMeant = (one: { readonly name: string }) => one.name === name || one.name === base;
    const dropped = [...(entry?.object_relationships ?? []), ...(entry?.array_relationships ?? [])].find(isMeant);
    if (dropped !== undefined) {
      return `relationship "${dropped.name}" of table "${table.name}" was dropped as inconsistent; fix it first`;
    }
    const isRemote = entry?.remote_relationships?.some(isMeant) === true;
    return isRemote ? `"${name}" is a remote relationship, which a row rule cannot use` : undefined;
  };
}
