/** Which rows are meant: the role's row rule, and what the arguments of the request say. */
import { ServiceError } from '../base/errors.ts';
import { selectAccess } from '../model/access.ts';
import { allOf } from '../model/all-of.ts';
import { encode } from '../model/encode.ts';
import { operatorNamed } from '../model/operators.ts';
import { parsePredicate } from '../model/predicate.ts';
import type { Column, Operand, Predicate, SelectAccess, Table } from '../model/table-model.ts';
import { type ArgumentValue, type PlanContext, VariableReference } from './context.ts';

/** The row rule and a `where` argument together; `path` is that of the argument. */
export function planWhere(
  context: PlanContext,
  table: Table,
  access: SelectAccess,
  where: ArgumentValue,
  path: string,
): Predicate {
  if (where === undefined || where === null) return access.filter;
  const asked = parsePredicate(where, {
    table,
    naming: 'fields',
    path,
    operand: (value) => (value instanceof VariableReference ? { kind: 'variable', name: value.name } : undefined),
    access: (target) => selectAccess(target, context.role),
  });
  return allOf([access.filter, asked]);
}

/** The row rule, and that the columns of the primary key have the values given; `path` is that of the arguments. */
export function planKey(
  access: SelectAccess,
  key: readonly Column[],
  given: Readonly<Record<string, ArgumentValue>>,
  path: string,
): Predicate {
  const equal = key.map((column) => equals(column, given[column.field], `${path}.${column.field}`));
  return allOf([access.filter, ...equal]);
}

function equals(column: Column, value: ArgumentValue, path: string): Predicate {
  const operator = operatorNamed('_eq', column.type);
  if (operator === undefined) throw new TypeError(`column ${column.name} cannot be the key of a table`);
  return { kind: 'compare', left: { column, cast: undefined }, operator, right: operandOf(column, value, path) };
}

function operandOf({ type }: Column, value: ArgumentValue, path: string): Operand {
  if (value instanceof VariableReference) return { kind: 'variable', name: value.name };
  try {
    encode(type, value);
  } catch (error) {
    throw error instanceof ServiceError ? error.under(path) : error;
  }
  return { kind: 'constant', value };
}
