/** The members of `aggregate`: counts, and the results of aggregate functions for columns. */
import { getNamedType } from 'graphql';
import { selectAccess } from '../../model/permissions/access.ts';
import { isSortable } from '../../model/predicate/column-types.ts';
import { requireSortable } from '../../model/predicate/context.ts';
import type { Table } from '../../model/types/table.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import { VariableReference } from '../document/arguments.ts';
import type { AggregatedValue, AggregateMember } from '../plan/query.ts';
import { planFunctionCall } from './function-call.ts';

interface SelectedMember {
  readonly member: SelectedField;
  /** The name of the type that has the member. */
  readonly typeName: string;
}

/** Returns the members selected below a field of an object type. */
export function selectedBelow(context: PlanContext, field: SelectedField): readonly SelectedMember[] {
  if (field.definition === undefined) throw new TypeError(`nothing can be selected below ${field.path}`);
  const type = getNamedType(field.definition.type);
  return context.collect(type, field.selections, field.path).map((member) => ({ member, typeName: type.name }));
}

export function planAggregateMember(
  context: PlanContext,
  field: SelectedField,
  typeName: string,
  table: Table,
): AggregateMember {
  const { alias, binding } = field;
  switch (binding?.kind) {
    case undefined:
      return { kind: 'constant', alias, value: typeName };
    case 'count':
      return planCount(context, field, table);
    case 'aggregateFunction': {
      const members = selectedBelow(context, field).map((one) => planColumn(context, one.member, one.typeName));
      return { kind: 'function', alias, function: binding.function, members };
    }
    default:
      throw new TypeError(`${field.path} is no aggregate`);
  }
}

function planCount(context: PlanContext, field: SelectedField, table: Table): AggregateMember {
  const { columns, distinct } = context.arguments(field);
  const names = context.settle(columns);
  const cells = selectAccess(table, context.role)?.cells;
  const counted = (Array.isArray(names) ? names : []).flatMap((name) => table.columns.get(String(name)) ?? []);
  const unsorted = counted.find(({ type }) => !isSortable(type));
  if (unsorted && context.settle(distinct) === true) requireSortable(unsorted, `${field.path}.args.distinct`);
  return {
    kind: 'count',
    alias: field.alias,
    columns: counted,
    ...(cells && { cells }),
    distinct: distinct instanceof VariableReference && !unsorted ? { variable: distinct.name } : distinct === true,
  };
}

function planColumn(context: PlanContext, field: SelectedField, typeName: string): AggregatedValue {
  const { alias, binding, path } = field;
  if (binding === undefined) return { kind: 'constant', alias, value: typeName };
  if (binding.kind === 'column') {
    return { kind: 'column', alias, column: binding.column, ...(binding.seen && { seen: binding.seen }) };
  }
  if (binding.kind === 'computed' && binding.computed.result.kind === 'scalar') {
    const { computed, seen } = binding;
    const call = planFunctionCall(context, field, computed.routine);
    return { kind: 'computed', alias, call, type: binding.computed.result.column.type, ...(seen && { seen }) };
  }
  throw new TypeError(`${path} is no column`);
}
