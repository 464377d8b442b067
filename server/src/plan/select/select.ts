/** Rows of a table with what is wanted of each: columns, related rows, aggregates and joins. */
import { getNamedType, getNullableType, isListType } from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { selectAccess } from '../../model/permissions/access.ts';
import type { Cells, Column, SelectAccess, Table, TableJoin } from '../../model/types/table.ts';
import { type PlanContext, type SelectedField, VariableReference } from '../context/context.ts';
import type { FieldPlan, JoinPlan, RowsPlan } from '../plan/query.ts';
import { planFunctionCall } from './function-call.ts';
import { parseJsonPath } from './json-path.ts';
import { planSelection } from './rows.ts';
import { planKey } from './where.ts';

/** The plan of a field whose type is a row of `table` or a list of them. The role's row limit is for lists. */
export function planRows(context: PlanContext, field: SelectedField, table: Table, access: SelectAccess): RowsPlan {
  const rows = planSelection(context, field, table, access);
  const fields = planFields(context, field, table);
  return isList(field) ? { ...rows, fields } : { ...rows, rowLimit: undefined, fields };
}

/** The one row of `table` whose primary key the arguments of `field` give. */
export function planByKey(context: PlanContext, field: SelectedField, table: Table, access: SelectAccess): RowsPlan {
  const where = planKey(access, table.primaryKey ?? [], context.arguments(field), `${field.path}.args`);
  return {
    table,
    where,
    orderBy: [],
    distinctOn: [],
    limit: undefined,
    rowLimit: undefined,
    offset: undefined,
    fields: planFields(context, field, table),
  };
}

function isList({ definition }: SelectedField): boolean {
  return definition !== undefined && isListType(getNullableType(definition.type));
}

/** What is selected of each row of `table` below `field`; phantoms stand at the end, one for each key column of a join. */
export function planFields(context: PlanContext, field: SelectedField, table: Table): readonly FieldPlan[] {
  if (field.definition === undefined) throw new TypeError(`nothing can be selected below ${field.path}`);
  const type = getNamedType(field.definition.type);
  const phantoms = new Map<string, FieldPlan>();
  const cells = selectAccess(table, context.role)?.cells;
  const fields = context
    .collect(type, field.selections, field.path)
    .map((member) => planField(context, member, type.name, phantoms, cells));
  return [...fields, ...phantoms.values()];
}

/** The response key under which a key column is fetched for joins: no GraphQL name can be it. */
export function phantomName({ name }: Pick<Column, 'name'>): string {
  return `@${name}`;
}

function planField(
  context: PlanContext,
  field: SelectedField,
  typeName: string,
  phantoms: Map<string, FieldPlan>,
  cells: Cells | undefined,
): FieldPlan {
  const { alias, binding } = field;
  switch (binding?.kind) {
    case undefined:
      return { kind: 'constant', alias, value: typeName };
    case 'column':
      return {
        kind: 'column',
        alias,
        column: binding.column,
        path: planPath(context, field),
        ...(binding.seen && { seen: binding.seen }),
      };
    case 'computed': {
      const { computed, seen } = binding;
      if (computed.result.kind !== 'scalar') throw new TypeError(`${field.path} is no scalar`);
      const call = planFunctionCall(context, field, computed.routine);
      const { type } = computed.result.column;
      return { kind: 'computed', alias, call, type, path: planPath(context, field), ...(seen && { seen }) };
    }
    case 'computedRows': {
      const rows = planRows(context, field, binding.table, binding.access);
      return {
        kind: 'computedRows',
        alias,
        rows: { ...rows, from: planFunctionCall(context, field, binding.computed.routine) },
      };
    }
    case 'relationship': {
      const { relationship, access } = binding;
      return {
        kind: relationship.kind,
        alias,
        relationship,
        rows: planRows(context, field, relationship.target, access),
      };
    }
    case 'relationshipAggregate': {
      const { relationship, access } = binding;
      const aggregate = context.parts.aggregate(context, field, relationship.target, access);
      return { kind: 'aggregate', alias, relationship, aggregate };
    }
    case 'join':
    case 'joinAggregate': {
      // A binding of a table's row: its keys are columns of it.
      const keys = binding.join.keys as TableJoin['keys'];
      for (const column of keys) {
        const name = phantomName(column);
        const seen = cells?.get(column);
        phantoms.set(name, { kind: 'phantom', alias: name, column, ...(seen && { seen }) });
      }
      const join = context.parts.join(context, field, binding.join, binding.access, phantomName);
      return { kind: 'join', alias, join: matchingSeen(join, binding.access) };
    }
    default:
      throw new TypeError(`${field.path} is no member of a row`);
  }
}

/** Between tables a row matches only by cells that the role sees, on both sides. */
function matchingSeen({ keys, target }: JoinPlan, access: SelectAccess | undefined): JoinPlan {
  if (target.kind !== 'table' || access?.cells === undefined) return { keys, target };
  return { keys, target: { ...target, cells: access.cells } };
}

function planPath(context: PlanContext, field: SelectedField): Extract<FieldPlan, { kind: 'column' }>['path'] {
  if (field.arguments.length === 0) return undefined;
  const { path } = context.arguments(field);
  if (path === undefined || path === null) return undefined;
  if (path instanceof VariableReference) return { variable: path.name };
  try {
    return parseJsonPath(path);
  } catch (error) {
    throw error instanceof ServiceError ? error.under(`${field.path}.args.path`) : error;
  }
}
