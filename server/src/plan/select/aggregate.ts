/** `t_aggregate`: counts, sums and the like over rows, and the rows themselves as nodes. */
import { getNamedType } from 'graphql';
import { selectAccess } from '../../model/permissions/access.ts';
import type { Column, SelectAccess, Table } from '../../model/types/table.ts';
import { type PlanContext, type SelectedField, VariableReference } from '../context/context.ts';
import type { AggregateMember, AggregatePart, AggregatePlan } from '../plan/query.ts';
import { planSelection } from './rows.ts';
import { planFields } from './select.ts';

/** The plan of a field whose type is `t_aggregate` of `table`. */
export function planAggregate(
  context: PlanContext,
  field: SelectedField,
  table: Table,
  access: SelectAccess,
): AggregatePlan {
  const parts = below(context, field).map(({ member, typeName }) => planPart(context, member, typeName, table));
  return { rows: planSelection(context, field, table, access), parts };
}

/** The members selected below a field, and the name of the type that they are members of. */
function below(context: PlanContext, field: SelectedField) {
  if (field.definition === undefined) throw new TypeError(`nothing can be selected below ${field.path}`);
  const type = getNamedType(field.definition.type);
  return context.collect(type, field.selections, field.path).map((member) => ({ member, typeName: type.name }));
}

function planPart(context: PlanContext, field: SelectedField, typeName: string, table: Table): AggregatePart {
  const { alias, binding } = field;
  switch (binding?.kind) {
    case undefined:
      return { kind: 'constant', alias, value: typeName };
    case 'aggregate': {
      const members = below(context, field).map((one) => planMember(context, one.member, one.typeName, table));
      return { kind: 'aggregate', alias, members };
    }
    case 'nodes':
      return { kind: 'nodes', alias, fields: planFields(context, field, table) };
    default:
      throw new TypeError(`${field.path} is no part of an aggregate`);
  }
}

function planMember(context: PlanContext, field: SelectedField, typeName: string, table: Table): AggregateMember {
  const { alias, binding } = field;
  switch (binding?.kind) {
    case undefined:
      return { kind: 'constant', alias, value: typeName };
    case 'count':
      return planCount(context, field, table);
    case 'aggregateFunction': {
      const members = below(context, field).map((one) => planColumn(one.member, one.typeName));
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
  return {
    kind: 'count',
    alias: field.alias,
    columns: (Array.isArray(names) ? names : []).flatMap((name): Column[] => {
      const column = table.columns.get(String(name));
      return column === undefined ? [] : [column];
    }),
    ...(cells && { cells }),
    distinct: distinct instanceof VariableReference ? { variable: distinct.name } : distinct === true,
  };
}

function planColumn({ alias, binding, path }: SelectedField, typeName: string) {
  if (binding === undefined) return { kind: 'constant', alias, value: typeName } as const;
  if (binding.kind === 'column') {
    return { kind: 'column', alias, column: binding.column, ...(binding.seen && { seen: binding.seen }) } as const;
  }
  throw new TypeError(`${path} is no column`);
}
