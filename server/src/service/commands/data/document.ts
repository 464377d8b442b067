/**
 * Data commands of the v1 API as GraphQL operations: columns by their SQL names, older spellings of operators and of
 * `order_by`. What a role may do is decided by its schema, as for every other request.
 */

import type { RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../../base/errors.ts';
import { isJsonObject } from '../../../base/json-value.ts';
import { typeName } from '../../../model/names/source-names.ts';
import { selectAccess } from '../../../model/permissions/access.ts';
import type { Table } from '../../../model/types/table.ts';

/** An operation with one root field `r`. */
export interface DataDocument {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Whether the operation needs a schema with what only data commands can do. */
  readonly extended?: boolean;
}

/** A plain JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** Builds one operation. `path` arguments are paths in the command. */
export interface DocumentWriter {
  /** `name: $v1`, the value as a variable of `type`; nothing when there is no value. */
  argument(name: string, type: string, value: unknown): readonly string[];
  /** `{ id name: title author { ... } }` */
  selection(table: Table, columns: readonly unknown[], path: string): string;
  /** The arguments of a list. */
  list(table: Table, args: Members, path: string): readonly string[];
  document(kind: 'query' | 'mutation', root: string, args: readonly string[], selection: string): DataDocument;
}

export function documentWriter(role: RoleName): DocumentWriter {
  const declared: string[] = [];
  const variables: Record<string, unknown> = {};
  let selected = 0;

  function argument(name: string, type: string, value: unknown): readonly string[] {
    if (value === undefined || value === null) return [];
    const variable = `v${declared.length}`;
    declared.push(`$${variable}: ${type}`);
    variables[variable] = value;
    return [`${name}: $${variable}`];
  }

  function list(table: Table, args: Members, path: string): readonly string[] {
    checkPage(args, path);
    const where = args.where === undefined ? undefined : writeWhere(table, args.where, `${path}.where`);
    const order = args.order_by === undefined ? undefined : writeOrder(table, args.order_by, `${path}.order_by`);
    return [
      ...argument('where', typeName(table, '_bool_exp'), where),
      ...argument('order_by', `[${typeName(table, '_order_by')}!]`, order),
      ...argument('limit', 'Int', args.limit),
      ...argument('offset', 'Int', args.offset),
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

/** The GraphQL name of a column that the role may read. */
export function fieldOf(table: Table, name: string, role: RoleName, path: string): string {
  const column = table.columnsByName.get(name);
  if (column === undefined) throw new ServiceError('not-exists', `column "${name}" does not exist`, { path });
  if (selectAccess(table, role)?.columns.has(column)) return column.field;
  const message = `role "${role}" does not have permission to select column "${name}"`;
  throw new ServiceError('permission-denied', message, { path });
}

/** The members of a row under their GraphQL names. */
export function writeRow(table: Table, row: Members): Members {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [fieldNamed(table, name), value]));
}

/** The GraphQL name of a column, or the name itself if there is no such column. */
export function fieldNamed(table: Table, name: string): string {
  return table.columnsByName.get(name)?.field ?? name;
}

/** Converts a condition: `$and` of older clients is `_and`, a bare value is compared with `_eq`, and a bare null with `_is_null`. */
export function writeWhere(table: Table, where: unknown, path: string): Members {
  const again = (inner: unknown, key: string | number) =>
    writeWhere(table, inner, typeof key === 'number' ? `${path}[${key}]` : `${path}.${key}`);
  return Object.fromEntries(
    Object.entries(membersOf(where, path)).map(([written, value]): [string, unknown] => {
      const name = written.replace(/^\$/, '_');
      if (name === '_and' || name === '_or') return [name, listOf(value, `${path}.${written}`).map(again)];
      if (name === '_not') return [name, again(value, written)];
      const relationship = table.relationships.get(written);
      if (relationship !== undefined) return [written, writeWhere(relationship.target, value, `${path}.${written}`)];
      return [table.columnsByName.get(written)?.field ?? written, writeTests(value)];
    }),
  );
}

function writeTests(value: unknown): unknown {
  if (value === null) return { _is_null: true };
  if (!isJsonObject(value)) return { _eq: value };
  return Object.fromEntries(
    Object.entries(value).map(([operator, right]): [string, unknown] => {
      const name = operator.replace(/^\$/, '_');
      if (name === '_cast' && isJsonObject(right)) {
        return [name, Object.fromEntries(Object.entries(right).map(([type, tests]) => [type, writeTests(tests)]))];
      }
      return [name === '_ne' ? '_neq' : name, right];
    }),
  );
}

/** `"-id"`, `{ column: "author.name", type: "desc", nulls: "last" }`, or a list of such. */
function writeOrder(table: Table, order: unknown, path: string): readonly unknown[] {
  const items: readonly unknown[] = Array.isArray(order) ? order : [order];
  return items.map((item, index) => writeOrderItem(table, item, Array.isArray(order) ? `${path}[${index}]` : path));
}

function writeOrderItem(table: Table, item: unknown, path: string): unknown {
  if (typeof item === 'string') {
    return writeOrderKey(table, item.replace(/^[+-]/, ''), item.startsWith('-') ? 'desc' : 'asc');
  }
  const { column, type = 'asc', nulls } = membersOf(item, path);
  if (typeof column !== 'string') throw new ServiceError('parse-failed', 'the name of a column is missing', { path });
  return writeOrderKey(table, column, nulls === undefined ? String(type) : `${String(type)}_nulls_${String(nulls)}`);
}

function writeOrderKey(table: Table, way: string, direction: string): unknown {
  const [first = '', ...rest] = way.split('.');
  const relationship = rest.length > 0 ? table.relationships.get(first) : undefined;
  if (relationship !== undefined) return { [first]: writeOrderKey(relationship.target, rest.join('.'), direction) };
  return { [table.columnsByName.get(way)?.field ?? way]: direction };
}

function membersOf(value: unknown, path: string): Members {
  if (isJsonObject(value)) return value;
  throw new ServiceError('parse-failed', 'must be an object', { path });
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new ServiceError('parse-failed', 'must be a list', { path });
}
