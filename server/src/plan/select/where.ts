/** The condition of selected rows: the role's row rule combined with the arguments of the request. */
import type { RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../base/errors.ts';
import { selectAccess } from '../../model/permissions/access.ts';
import { allOf } from '../../model/predicate/combinators.ts';
import { encode } from '../../model/predicate/encode.ts';
import { operatorNamed } from '../../model/predicate/operators.ts';
import { parsePredicate } from '../../model/predicate/predicate.ts';
import type { Column, Operand, Predicate, SelectAccess, Table } from '../../model/types/table.ts';
import type { PlanContext } from '../context/context.ts';
import { type ArgumentValue, VariableReference } from '../document/arguments.ts';
import type { InputCount } from '../document/input-limits.ts';

/** Combines the row rule with a `where` argument. `path` is the path of the argument. */
export function planWhere(
  context: PlanContext,
  table: Table,
  access: Pick<SelectAccess, 'filter'>,
  where: ArgumentValue,
  path: string,
): Predicate {
  return filteredWhere(context.role, table, access.filter, where, path, context.count);
}

/** Combines `filter` with a `where` argument. */
export function filteredWhere(
  role: RoleName,
  table: Table,
  filter: Predicate,
  where: ArgumentValue,
  path: string,
  count?: InputCount,
): Predicate {
  if (where === undefined || where === null) return filter;
  const condition = parsePredicate(where, {
    table,
    naming: 'fields',
    // Only the schema of data commands has these operators.
    columnComparisons: true,
    path,
    operand: (value) => (value instanceof VariableReference ? { kind: 'variable', name: value.name } : undefined),
    access: (target) => selectAccess(target, role),
    ...(count && { count: (members, place) => count.addPredicateMembers(members, () => place) }),
  });
  return allOf([filter, condition]);
}

/** Combines the row rule with the given values of the primary key. `path` is the path of the arguments. */
export function planKey(
  access: Pick<SelectAccess, 'filter' | 'cells'>,
  key: readonly Column[],
  given: Readonly<Record<string, ArgumentValue>>,
  path: string,
): Predicate {
  const equal = key.map((column) =>
    equals(column, access.cells?.get(column), given[column.field], `${path}.${column.field}`),
  );
  return allOf([access.filter, ...equal]);
}

function equals(column: Column, seen: Predicate | undefined, value: ArgumentValue, path: string): Predicate {
  const operator = operatorNamed('_eq', column.type);
  if (operator === undefined) throw new TypeError(`column ${column.name} cannot be the key of a table`);
  const left = { column, cast: undefined, ...(seen && { seen }) };
  return { kind: 'compare', left, operator, right: operandOf(column, value, path) };
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
