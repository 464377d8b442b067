/**
 * Data commands of the v1 API as GraphQL operations, with columns by their SQL names. What a role may do is decided by its
 * schema, as for every other request.
 */

import type { RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../../base/errors.ts';
import { typeName } from '../../../model/names/source-names.ts';
import { selectAccess } from '../../../model/permissions/access.ts';
import type { Table } from '../../../model/types/table.ts';
import { fieldOf, listOf, type Members, membersOf, writeOrder, writeWhere } from './conditions.ts';

/** An operation with one root field `r`. */
export interface DataDocument {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The path in the command of the value of each variable. */
  readonly places: ReadonlyMap<string, string>;
  /** Whether the operation needs a schema with what only data commands can do. */
  readonly extended?: boolean;
}

/** Builds one operation. `path` arguments are paths in the command. */
export interface DocumentWriter {
  /**
   * `name: $v1`, the value as a variable of `type`; nothing when there is no value. Without a path the value is that of the
   * argument `name`, or `$name` for `_name`, of the command.
   */
  argument(name: string, type: string, value: unknown, path?: string): readonly string[];
  /** `{ id name: title author { ... } }` */
  selection(table: Table, columns: readonly unknown[], path: string): string;
  /** The arguments of a list. */
  list(table: Table, args: Members, path: string): readonly string[];
  document(kind: 'query' | 'mutation', root: string, args: readonly string[], selection: string): DataDocument;
}

export function documentWriter(role: RoleName): DocumentWriter {
  const declared: string[] = [];
  const variables: Record<string, unknown> = {};
  const places = new Map<string, string>();
  let selected = 0;

  function argument(name: string, type: string, value: unknown, path?: string): readonly string[] {
    if (value === undefined || value === null) return [];
    const variable = `v${declared.length}`;
    declared.push(`$${variable}: ${type}`);
    variables[variable] = value;
    places.set(variable, path ?? `$.args.${name.replace(/^_/, '$')}`);
    return [`${name}: $${variable}`];
  }

  function list(table: Table, args: Members, path: string): readonly string[] {
    checkPage(args, path);
    const where = args.where === undefined ? undefined : writeWhere(table, args.where, role, `${path}.where`);
    const order = args.order_by === undefined ? undefined : writeOrder(table, args.order_by, role, `${path}.order_by`);
    return [
      ...argument('where', typeName(table, '_bool_exp'), where, `${path}.where`),
      ...argument('order_by', `[${typeName(table, '_order_by')}!]`, order, `${path}.order_by`),
      ...argument('limit', 'Int', args.limit, `${path}.limit`),
      ...argument('offset', 'Int', args.offset, `${path}.offset`),
    ];
  }

  function selection(table: Table, columns: readonly unknown[], path: string): string {
    const access = selectAccess(table, role);
    // By member of the row: what is named replaces the same member of a wildcard, wherever the wildcard is.
    const fields = new Map<string, string>();
    columns.forEach((column, index) => {
      const place = `${path}[${index}]`;
      if (typeof column !== 'string' || !isWildcard(column)) return;
      for (const { name, field } of access?.columns ?? []) fields.set(name, aliased(name, field, place));
      if (column === '*') return;
      for (const { name, target } of table.relationships.values()) {
        if (selectAccess(target, role) === undefined) continue;
        fields.set(name, `${name} ${selection(target, [column.slice(0, -2)], place)}`);
      }
    });
    columns.forEach((column, index) => {
      const place = `${path}[${index}]`;
      if (typeof column === 'string' && isWildcard(column)) return;
      if (typeof column === 'string') fields.set(column, aliased(column, fieldOf(table, column, role, place), place));
      else fields.set(...related(table, membersOf(column, place), place));
    });
    selected += fields.size;
    if (selected > maxSelected) {
      throw new ServiceError('input-limit-exceeded', `more than ${maxSelected} columns are selected`, { path });
    }
    if (fields.size === 0) throw new ServiceError('parse-failed', 'name at least one column', { path });
    return `{ ${[...fields.values()].join(' ')} }`;
  }

  function related(table: Table, column: Members, path: string): readonly [member: string, selected: string] {
    const { name, alias, columns, ...args } = column;
    const relationship = typeof name === 'string' ? table.relationships.get(name) : undefined;
    if (relationship === undefined) {
      const message = `${JSON.stringify(name)} is no relationship of table "${table.name}"`;
      throw new ServiceError('not-exists', message, { path: `${path}.name` });
    }
    const { target, kind } = relationship;
    if (selectAccess(target, role) === undefined) {
      const message = `role "${role}" does not have permission to select relationship "${relationship.name}"`;
      throw new ServiceError('permission-denied', message, { path: `${path}.name` });
    }
    const unknown = Object.keys(args).find((key) => !listMembers.has(key));
    if (unknown !== undefined) {
      throw new ServiceError('parse-failed', `unknown member "${unknown}"`, { path: `${path}.${unknown}` });
    }
    const [first] = Object.keys(args);
    if (kind === 'object' && first !== undefined) {
      const message = `"${first}" is only for array relationships, and "${relationship.name}" is an object relationship`;
      throw new ServiceError('unexpected-payload', message, { path: `${path}.${first}` });
    }
    const below = selection(target, listOf(columns, `${path}.columns`), `${path}.columns`);
    const member = typeof alias === 'string' ? alias : relationship.name;
    return [member, `${aliased(member, relationship.name, path)}${call(list(target, args, path))} ${below}`];
  }

  return {
    argument,
    list,
    selection,
    document: (kind, root, args, fields) => ({
      query: `${kind}${declared.length > 0 ? ` (${declared.join(', ')})` : ''} { r: ${root}${call(args)} ${fields} }`,
      variables,
      places,
    }),
  };
}

/** Maximum number of columns and relationships of one command. Wildcards multiply them. */
const maxSelected = 10_000;

const listMembers: ReadonlySet<string> = new Set(['where', 'order_by', 'limit', 'offset']);

/** `*` are all columns, `*.*` also all relationships with their columns, and so on. */
function isWildcard(column: string): boolean {
  return /^\*(?:\.\*)*$/.test(column);
}

function checkPage(args: Members, path: string): void {
  for (const name of ['limit', 'offset']) {
    const value = args[name];
    if (typeof value === 'number' && value < 0) {
      throw new ServiceError('unexpected-payload', 'unexpected negative value', { path: `${path}.${name}` });
    }
  }
}

function call(args: readonly string[]): string {
  return args.length === 0 ? '' : `(${args.join(', ')})`;
}

function aliased(alias: string, field: string, path: string): string {
  if (alias === field) return field;
  if (/^[_A-Za-z][_0-9A-Za-z]*$/.test(alias)) return `${alias}: ${field}`;
  const message = `the name "${alias}" cannot be read here; use GraphQL, where it is "${field}"`;
  throw new ServiceError('not-supported', message, { path });
}
