/** Prints predicates as conditions. Needs nothing but the predicate. */

import { argumentType } from '../model/predicate/operators.ts';
import type { ChangedRow, EventCondition } from '../model/types/event-trigger.ts';
import type { Operator } from '../model/types/operator.ts';
import type { Column, Comparand, Operand, Predicate } from '../model/types/table.ts';
import { bareCall } from '../plan/select/function-call.ts';
import { cast, ident, join, type Sql, sql } from '../postgres/sql/sql.ts';
import { printCall, wholeRow } from './call.ts';
import { printOperand, type RowScope } from './operand.ts';
import { compared, matching, type Printing, tableAs, whereAll } from './printing.ts';

type Aggregated = Extract<Predicate, { kind: 'aggregated' }>;

/** Returns the conditions of `predicate` on the row named `row`, for `whereAll`; none for true. */
export function conditionsOn(row: string, predicate: Predicate, printing: Printing): readonly Sql[] {
  return conjuncts(predicate, { row, root: row }, printing);
}

/** Returns `condition` on the rows of a change, by their names in the statement. `withConstants` removes its parameters. */
export function eventCondition(
  condition: EventCondition,
  names: Readonly<Record<ChangedRow, string>>,
  printing: Printing,
): Sql {
  const each = (of: readonly EventCondition[]) => of.map((one) => eventCondition(one, names, printing));
  switch (condition.kind) {
    case 'and':
      return all(each(condition.of));
    case 'or':
      return any(each(condition.of));
    case 'not':
      return sql`not (${eventCondition(condition.of, names, printing)})`;
    case 'row': {
      const scope = { row: names[condition.row], root: names[condition.row === 'old' ? 'new' : 'old'] };
      return all(conjuncts(condition.where, scope, printing));
    }
    default:
      return condition satisfies never;
  }
}

function conjuncts(predicate: Predicate, scope: RowScope, printing: Printing): readonly Sql[] {
  switch (predicate.kind) {
    case 'and':
      return predicate.of.flatMap((part) => conjuncts(part, scope, printing));
    case 'rule':
      return conjuncts(predicate.of, { row: scope.row, root: scope.row }, printing);
    default:
      return [condition(predicate, scope, printing)];
  }
}

function condition(predicate: Predicate, scope: RowScope, printing: Printing): Sql {
  switch (predicate.kind) {
    case 'and':
    case 'rule':
      return all(conjuncts(predicate, scope, printing));
    case 'or':
      return any(predicate.of.map((part) => condition(part, scope, printing)));
    case 'not':
      return sql`not (${condition(predicate.of, scope, printing)})`;
    case 'compare':
      return compare(predicate, scope, printing);
    case 'related': {
      const row = printing.row();
      const { relationship } = predicate;
      const inner = conjuncts(predicate.where, { row, root: scope.root }, printing);
      const where = whereAll([...matching(relationship, scope.row, row), ...inner]);
      return sql`exists (select from ${tableAs(relationship.target, row, printing)}${where})`;
    }
    case 'computed': {
      const row = printing.row();
      const where = whereAll(conjuncts(predicate.where, { row, root: scope.root }, printing));
      const rows = printCall(bareCall(predicate.routine), wholeRow(scope.row), printing);
      return sql`exists (select from ${rows} as ${ident(row)}${where})`;
    }
    case 'aggregated':
      return aggregated(predicate, scope, printing);
    case 'exists': {
      const row = printing.row();
      const where = whereAll(conjuncts(predicate.where, { row, root: scope.root }, printing));
      return sql`exists (select from ${tableAs(predicate.table, row, printing)}${where})`;
    }
    default:
      return predicate satisfies never;
  }
}

/** Returns the column of the row, or null where the caller does not see it. */
export function seenColumn(row: string, column: Column, seen: Predicate | undefined, printing: Printing): Sql {
  const whole =
    column.computed === undefined
      ? ident(row, column.name)
      : printCall(bareCall(column.computed), wholeRow(row), printing);
  const conditions = seen === undefined ? [] : conditionsOn(row, seen, printing);
  return conditions.length === 0 ? whole : sql`case when ${join(conditions, ' and ')} then ${whole} end`;
}

/** Adds parentheses only where there are several conditions. */
function all(parts: readonly Sql[]): Sql {
  const [first, second] = parts;
  if (first === undefined) return sql`true`;
  return second === undefined ? first : sql`(${join(parts, ' and ')})`;
}

function any(parts: readonly Sql[]): Sql {
  const [first, second] = parts;
  if (first === undefined) return sql`false`;
  return second === undefined ? first : sql`(${join(parts, ' or ')})`;
}

function compare(
  comparison: { readonly left: Comparand; readonly operator: Operator; readonly right: Operand },
  scope: RowScope,
  printing: Printing,
): Sql {
  const { left, operator, right } = comparison;
  const column = seenColumn(scope.row, left.column, left.seen, printing);
  const type = left.cast ?? left.column.type;
  const operand = printOperand(right, argumentType(operator, type), scope, printing);
  if (left.cast !== undefined) return operator.print(cast(column, left.cast), operand, type);
  return operator.print(operator.name === '_is_null' ? column : compared(column, type), operand, type);
}

/**
 * Returns `exists (... having ...)`: the aggregate is computed once for all its tests, and a null test is false, so that
 * `not` negates it.
 */
function aggregated(predicate: Aggregated, scope: RowScope, printing: Printing): Sql {
  const { relationship, resultType, tests } = predicate;
  const row = printing.row();
  const inner = { row, root: scope.root };
  const where = whereAll([...matching(relationship, scope.row, row), ...conjuncts(predicate.filter, inner, printing)]);
  const value = aggregateCall(predicate, row, printing);
  const conditions = tests.map(({ operator, right }) =>
    operator.print(value, printOperand(right, argumentType(operator, resultType), scope, printing), resultType),
  );
  return sql`exists (select from ${tableAs(relationship.target, row, printing)}${where} having ${all(conditions)})`;
}

function aggregateCall(predicate: Aggregated, row: string, printing: Printing): Sql {
  const { cells } = predicate;
  const columns = predicate.arguments.map((column) => {
    const seen = seenColumn(row, column, cells?.get(column), printing);
    return predicate.distinct ? compared(seen, column.type) : seen;
  });
  const distinct = predicate.distinct ? sql`distinct ` : sql``;
  const [first, second] = columns;
  if (first === undefined) return sql`count(*)`;
  const list = join(columns, ', ');
  const inside = predicate.aggregate === 'count' && second !== undefined ? sql`(${list})` : list;
  return sql`${ident(predicate.aggregate)}(${distinct}${inside})`;
}
