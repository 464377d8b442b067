/**
 * The fields selected of rows, aggregates and action outputs, and the joins among them. One file, since each of them can
 * contain the others.
 */
import { type GraphQLNamedType, getNamedType, getNullableType, isListType } from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { parseJsonPath } from '../../base/json-path.ts';
import { namedIn } from '../../model/actions/type-expression.ts';
import { selectAccess } from '../../model/permissions/access.ts';
import type { OutputNamed, TypeRef } from '../../model/types/action.ts';
import type {
  Cells,
  Column,
  Join,
  JoinKey,
  RemoteSchema,
  SelectAccess,
  Table,
  TableJoin,
} from '../../model/types/table.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import { inputPlan, VariableReference } from '../document/arguments.ts';
import type {
  AggregatePart,
  AggregatePlan,
  FieldPlan,
  JoinPlan,
  JoinTarget,
  OrderTerm,
  OutputFieldPlan,
  OutputPlan,
  RowsPlan,
  RowsTarget,
} from '../plan/query.ts';
import type { ForwardedPlan, RemoteFieldPlan, RemoteMember } from '../plan/remote.ts';
import { planConnection } from '../relay/connection.ts';
import { selectRemoteField, selectRemotePath } from '../remote/remote.ts';
import type { SelectedJoin } from '../remote/selection.ts';
import { planAggregateMember, selectedBelow } from './aggregate.ts';
import { keyedCall, planFunctionCall } from './function-call.ts';
import { planNativeCall } from './native-call.ts';
import { planSelection } from './rows.ts';
import { planKey } from './where.ts';

/** Plans a field whose type is a row of `table` or a list of rows. The role's row limit applies to lists only. */
export function planRows(context: PlanContext, field: SelectedField, table: Table, access: SelectAccess): RowsPlan {
  const from = table.native && planNativeCall(context, field, table.native);
  const rows = { ...planSelection(context, field, table, access), ...(from && { from }) };
  const fields = planFields(context, field, table);
  return isList(field) ? { ...rows, fields } : { ...rows, rowLimit: undefined, fields };
}

/** Plans a field that returns the row of `table` with the primary key in the arguments of `field`. */
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

/** Plans the fields selected of each row of `table`. Phantoms come last, one for each key column of a join. */
export function planFields(context: PlanContext, field: SelectedField, table: Table): readonly FieldPlan[] {
  const phantoms = new Map<string, FieldPlan>();
  const cells = selectAccess(table, context.role)?.cells;
  const fields = selectedBelow(context, field).map(({ member, typeName }) =>
    planField(context, member, typeName, phantoms, cells),
  );
  return [...fields, ...phantoms.values()];
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
    case 'column': {
      const { column, seen } = binding;
      return { kind: 'column', alias, column, path: planPath(context, field), ...(seen && { seen }) };
    }
    case 'computed': {
      const { computed, seen } = binding;
      if (computed.result.kind !== 'scalar') throw new TypeError(`${field.path} is no scalar`);
      const call = planFunctionCall(context, field, computed.routine);
      const { type } = computed.result.column;
      return { kind: 'computed', alias, call, type, path: planPath(context, field), ...(seen && { seen }) };
    }
    case 'computedRows': {
      const rows = planRows(context, field, binding.table, binding.access);
      const from = planFunctionCall(context, field, binding.computed.routine);
      return { kind: 'computedRows', alias, rows: { ...rows, from } };
    }
    case 'relationship': {
      const { relationship, access } = binding;
      const rows = planRows(context, field, relationship.target, access);
      return { kind: relationship.kind, alias, relationship, rows };
    }
    case 'relationshipAggregate': {
      const { relationship, access } = binding;
      const aggregate = planAggregate(context, field, relationship.target, access);
      return { kind: 'aggregate', alias, relationship, aggregate };
    }
    case 'nodeId':
      return { kind: 'nodeId', alias, table: binding.table, key: binding.key };
    case 'connection': {
      const { relationship, table, access } = binding;
      if (relationship === undefined) throw new TypeError(`${field.path} is no member of a row`);
      return { kind: 'connection', alias, relationship, connection: planPage(context, field, table, access) };
    }
    case 'join':
    case 'joinAggregate': {
      // The keys of a join of a table row are columns.
      for (const column of binding.join.keys as TableJoin['keys']) {
        const name = phantomName(column);
        const seen = cells?.get(column);
        phantoms.set(name, { kind: 'phantom', alias: name, column, ...(seen && { seen }) });
      }
      const join = planJoin(context, field, binding.join, binding.access, phantomName);
      return { kind: 'join', alias, join: matchingSeen(join, binding.access) };
    }
    default:
      throw new TypeError(`${field.path} is no member of a row`);
  }
}

/** Plans a field whose type is `tConnection` of `table`. */
export function planPage(context: PlanContext, field: SelectedField, table: Table, access: SelectAccess) {
  return planConnection(context, field, table, access, planFields);
}

/** Returns the response key under which a key column is fetched for joins. It is no valid GraphQL name. */
function phantomName({ name }: Pick<Column, 'name'>): string {
  return `@${name}`;
}

/** Restricts a join between tables to rows in which the role sees the key columns on both sides. */
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
    return parseJsonPath(path).map(String);
  } catch (error) {
    throw error instanceof ServiceError ? error.under(`${field.path}.args.path`) : error;
  }
}

/** Plans a field whose type is `t_aggregate` of `table`. */
export function planAggregate(
  context: PlanContext,
  field: SelectedField,
  table: Table,
  access: SelectAccess,
): AggregatePlan {
  const parts = selectedBelow(context, field).map(({ member, typeName }) =>
    planAggregatePart(context, member, typeName, table),
  );
  return { rows: planSelection(context, field, table, access), parts };
}

function planAggregatePart(context: PlanContext, field: SelectedField, typeName: string, table: Table): AggregatePart {
  const { alias, binding } = field;
  switch (binding?.kind) {
    case undefined:
      return { kind: 'constant', alias, value: typeName };
    case 'aggregate': {
      const members = selectedBelow(context, field).map((one) =>
        planAggregateMember(context, one.member, one.typeName, table),
      );
      return { kind: 'aggregate', alias, members };
    }
    case 'nodes':
      return { kind: 'nodes', alias, fields: planFields(context, field, table) };
    default:
      throw new TypeError(`${field.path} is no part of an aggregate`);
  }
}

/** Plans the part of a handler's response with type `type` that `field` selects. */
export function planOutput(context: PlanContext, field: SelectedField, type: TypeRef<OutputNamed>): OutputPlan {
  if (field.definition === undefined || field.selections.length === 0) return { type, fields: undefined };
  const named = namedIn(type);
  if (named.kind !== 'abstract') {
    return { type, fields: planOutputFields(context, field, getNamedType(field.definition.type)) };
  }
  const members = named.members.map((object) => {
    const objectType = context.schema.getType(object.name);
    return { object, fields: objectType === undefined ? [] : planOutputFields(context, field, objectType) };
  });
  return { type, fields: undefined, members };
}

function planOutputFields(
  context: PlanContext,
  field: SelectedField,
  type: GraphQLNamedType,
): readonly OutputFieldPlan[] {
  const selected = context.collect(type, field.selections, field.path);
  return selected.map((member) => planOutputField(context, member, type.name));
}

function planOutputField(context: PlanContext, field: SelectedField, typeName: string): OutputFieldPlan {
  const { alias, binding } = field;
  switch (binding?.kind) {
    case undefined:
      return { kind: 'constant', alias, value: typeName };
    case 'outputField': {
      const { name, type } = binding.field;
      return { kind: 'field', alias, name, output: planOutput(context, field, type) };
    }
    // Keys are read from the unprocessed response of the handler, whether they are selected or not.
    case 'join':
    case 'joinAggregate': {
      const join = planJoin(context, field, binding.join, binding.access, ({ name }) => name);
      return { kind: 'join', alias, join };
    }
    default:
      throw new TypeError(`${field.path} is no member of the response of an action`);
  }
}

/** Plans the root field `field`, which is the field `name` of `remote`. */
export function planRemoteField(
  context: PlanContext,
  field: SelectedField,
  remote: RemoteSchema,
  operation: 'query' | 'mutation',
  name: string,
): RemoteFieldPlan<JoinPlan> {
  return withJoins(context, selectRemoteField(context, field, remote, operation, name));
}

/** Plans the joins that were selected in a forwarded field. */
function withJoins<Forwarded extends ForwardedPlan<SelectedJoin>>(
  context: PlanContext,
  forwarded: Forwarded,
): Omit<Forwarded, 'members'> & Pick<ForwardedPlan<JoinPlan>, 'members'> {
  const planMember = (member: RemoteMember<SelectedJoin>): RemoteMember<JoinPlan> => {
    if (member.kind === 'object') return { ...member, members: member.members.map(planMember) };
    if (member.kind !== 'join') return member;
    const { field, join, access, nameOf } = member.join;
    return { ...member, join: planJoin(context, field, join, access, nameOf) };
  };
  return { ...forwarded, members: forwarded.members?.map(planMember) };
}

/**
 * Plans the join of `field`. `nameOf` returns the name of a key in the parent object. `access` is the role's access to
 * the rows of the target, if the target has rows.
 */
function planJoin(
  context: PlanContext,
  field: SelectedField,
  join: Join,
  access: SelectAccess | undefined,
  nameOf: (key: JoinKey) => string,
): JoinPlan {
  const keys = join.keys.map((key) => ({ name: nameOf(key), type: key.type }));
  return { keys, target: planTarget(context, field, join, access) };
}

function planTarget(
  context: PlanContext,
  field: SelectedField,
  { keys, target }: Join,
  access: SelectAccess | undefined,
): JoinTarget {
  switch (target.kind) {
    case 'table': {
      const { table, match, shape } = target;
      const list = keys.findIndex((key) => key.list === true);
      const want = planTargetRows(context, field, table, access, shape);
      if (list < 0) return { kind: 'table', source: table.source, match, want };
      return { kind: 'table', source: table.source, match, list, want: inOrderOfKeys(want, match, list) };
    }
    case 'function': {
      const { function: called, passed, shape } = target;
      const { table, routine } = called;
      const from = keyedCall(context, field, routine, passed);
      const types = passed.flatMap((name) => routine.arguments.find((one) => one.field === name)?.type ?? []);
      const want = changeRows(planTargetRows(context, field, table, access, shape), (rows) => ({ ...rows, from }));
      return { kind: 'table', source: table.source, match: [], passed: types, want };
    }
    case 'remote': {
      const { remote, path } = target;
      return { kind: 'remote', remote, path, ...withJoins(context, selectRemotePath(context, field, remote, path)) };
    }
    case 'action': {
      const { action, arguments: supplied, batch } = target;
      const given = Object.entries(context.arguments(field)).map(([name, value]) => ({
        name,
        value: inputPlan(value),
      }));
      return { kind: 'action', action, supplied, given, batch, output: planOutput(context, field, action.output) };
    }
    default:
      return target satisfies never;
  }
}

type TargetRows = RowsTarget['want'];

function planTargetRows(
  context: PlanContext,
  field: SelectedField,
  table: Table,
  access: SelectAccess | undefined,
  shape: 'object' | 'array',
): TargetRows {
  if (access === undefined) throw new TypeError(`the role may not select from ${table.name}`);
  if (field.binding?.kind === 'joinAggregate') {
    return { shape: 'aggregate', aggregate: planAggregate(context, field, table, access) };
  }
  const rows = planRows(context, field, table, access);
  // The objects of a list of keys are no list of rows: each has its own key. The row limit applies to lists of rows.
  return { shape, rows: shape === 'object' ? { ...rows, rowLimit: undefined } : rows };
}

/** Appends the order of the list of keys to the selected order. */
function inOrderOfKeys(want: TargetRows, match: readonly Column[], list: number): TargetRows {
  const column = match[list];
  if (column === undefined || want.shape === 'object') return want;
  const last: OrderTerm = { by: { kind: 'place', column, index: list }, direction: 'asc', nulls: 'last' };
  return changeRows(want, (rows) => ({ ...rows, orderBy: [...rows.orderBy, last] }));
}

function changeRows(want: TargetRows, change: (rows: RowsPlan) => RowsPlan): TargetRows {
  if (want.shape !== 'aggregate') return { ...want, rows: change(want.rows) };
  return { ...want, aggregate: { ...want.aggregate, rows: change(want.aggregate.rows) } };
}
