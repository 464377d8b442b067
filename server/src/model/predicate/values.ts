/** Parses the right-hand side of a comparison into an operand. */

import { ServiceError } from '../../base/errors.ts';
import { memberPath, showJson } from '../../base/json-value.ts';
import type { ColumnType } from '../types/column-type.ts';
import type { Operator, OperatorMember } from '../types/operator.ts';
import type { Column, Operand, Relationship, Table } from '../types/table.ts';
import { comparable } from './column-types.ts';
import { columnNamed, invalid, listed, membersOf, type Scope } from './context.ts';
import { encode } from './encode.ts';
import { argumentType } from './operators.ts';

/** Recognizes session variables: strings that start with `prefix`, in any case. */
export function sessionOperand(prefix: string): (value: unknown) => Operand | undefined {
  return (value) => {
    if (typeof value !== 'string') return undefined;
    const name = value.toLowerCase();
    return name.startsWith(prefix) && name.length > prefix.length ? { kind: 'session', name } : undefined;
  };
}

/** The right side of `operator` for a left side of `type`. Checks constants against the type. */
export function readOperand(json: unknown, operator: Operator, type: ColumnType, path: string, scope: Scope): Operand {
  if (operator.members) return readMembers(json, operator.members(type), path, scope);
  const items = operator.argument === 'list' || operator.argument === 'textList' ? 'values' : 'elements';
  return readValue(json, argumentType(operator, type), path, scope, items);
}

/** The items of a list: values to compare with, or elements of an array, which may be null. */
type Items = 'values' | 'elements';

function readValue(json: unknown, type: ColumnType, path: string, scope: Scope, items: Items): Operand {
  if (json === null) throw invalid(path, 'unexpected null value; use _is_null to compare with null');
  const operand = located(path, () => scope.context.operand(json));
  if (operand !== undefined) return operand;
  if (type.family === 'array' && Array.isArray(json)) return readList(json, type, path, scope, items);
  return checked(json, type, path);
}

/** A constant if every item is constant, otherwise a list of operands. */
function readList(json: readonly unknown[], type: ColumnType, path: string, scope: Scope, items: Items): Operand {
  const element = type.element ?? type;
  const nests = element.family !== 'json' && element.family !== 'jsonb';
  const read = json.map((item: unknown, index): Operand => {
    const place = memberPath(path, index);
    if (item === null && items === 'elements') return { kind: 'constant', value: null };
    if (nests && Array.isArray(item) && element.family !== 'array') return readList(item, type, place, scope, items);
    return readValue(item, element, place, scope, 'elements');
  });
  if (read.every((item) => item.kind === 'constant')) return checked(json, type, path);
  return { kind: 'list', items: read, element };
}

function checked(json: unknown, type: ColumnType, path: string): Operand {
  located(path, () => encode(type, json));
  return { kind: 'constant', value: json };
}

/** Prefixes the paths of errors, which start at the value, with `path`. */
function located<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof ServiceError ? error.under(path) : error;
  }
}

function readMembers(json: unknown, members: readonly OperatorMember[], path: string, scope: Scope): Operand {
  const given = new Map(membersOf(json, path, 'the members of the operator'));
  const of = members.map(({ name, type, default: defaultValue }) => {
    const value = given.get(name);
    given.delete(name);
    if (value !== undefined)
      return { operand: readValue(value, type, memberPath(path, name), scope, 'elements'), type };
    if (defaultValue === undefined) throw invalid(path, `the member "${name}" is missing`);
    return { operand: { kind: 'constant', value: defaultValue } as const, type };
  });
  const [unknown] = given.keys();
  if (unknown !== undefined) {
    throw invalid(memberPath(path, unknown), `no such member; there are ${listed(members.map(({ name }) => name))}`);
  }
  return { kind: 'members', of };
}

/**
 * The column that `left`, as `type`, is compared with: `"column"`, `["column"]`, `["$", "column"]`, or a path through
 * object relationships to a column.
 */
export function readColumn(json: unknown, left: Column, type: ColumnType, path: string, scope: Scope): Operand {
  const steps: readonly unknown[] = Array.isArray(json) ? json : [json];
  const fromRoot = steps.length > 1 && steps[0] === '$';
  const names = fromRoot ? steps.slice(1) : steps;
  if (names.length === 0 || !names.every((name) => typeof name === 'string')) {
    throw invalid(
      path,
      `expected the name of a column, or a path such as ["$", "column"], but found ${showJson(json)}`,
    );
  }
  if (fromRoot && scope.depth > 0) scope.usesRoot();
  const relationships: Relationship[] = [];
  let table: Table = fromRoot ? scope.context.table : scope.table;
  for (const name of names.slice(0, -1)) {
    const relationship = table.relationships.get(name);
    if (relationship?.kind !== 'object' || relationship.target.native !== undefined)
      throw invalid(path, `table ${table.name} has no object relationship "${name}"`);
    relationships.push(relationship);
    table = relationship.target;
  }
  const name = names.at(-1) ?? '';
  const column = columnNamed({ ...scope, table }, name);
  if (column === undefined) throw invalid(path, `table ${table.name} has no column "${name}"`);
  if (!comparable(type, column.type)) {
    const types = `"${left.name}" of type ${type.name} and "${column.name}" of type ${column.type.name}`;
    throw invalid(path, `the columns ${types} cannot be compared`);
  }
  return { kind: 'column', of: fromRoot && scope.depth > 0 ? 'root' : 'row', path: relationships, column };
}
