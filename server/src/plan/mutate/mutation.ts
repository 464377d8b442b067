/** Plans the root fields that write: the rows, their changes, and the response. */
import { getNamedType } from 'graphql';
import { selectAccess } from '../../model/permissions/access.ts';
import { deleteAccess, updateAccess } from '../../model/permissions/write-access.ts';
import { everyRow } from '../../model/predicate/combinators.ts';
import type { DeleteAccess, MutationKind, Table, UpdateAccess } from '../../model/types/table.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import { inputPlan, VariableReference } from '../document/arguments.ts';
import type { DeletePlan, InsertPlan, MutationPlan, MutationResponse, UpdatePlan } from '../plan/mutation.ts';
import type { RowsPlan } from '../plan/query.ts';
import { planFields } from '../select/select.ts';
import { planKey, planWhere } from '../select/where.ts';
import { planConflict } from './insert.ts';

export function planMutation(
  context: PlanContext,
  field: SelectedField,
  mutation: MutationKind,
  table: Table,
): MutationPlan {
  switch (mutation) {
    case 'insert':
      return planInsert(context, field, table, 'objects');
    case 'insert_one':
      return planInsert(context, field, table, 'object');
    case 'update':
    case 'update_by_pk':
      return planUpdate(context, field, mutation, table);
    case 'update_many': {
      const { path } = field;
      const access = accessOf(updateAccess(table, context.role), field);
      const updates = inputPlan(context.arguments(field).updates);
      const response = planResponse(context, field, table);
      return { kind: 'updateMany', table, path, role: context.role, access, updates, response };
    }
    case 'delete':
    case 'delete_by_pk':
      return planDelete(context, field, mutation, table);
    default:
      return mutation satisfies never;
  }
}

function planInsert(
  context: PlanContext,
  field: SelectedField,
  table: Table,
  argument: InsertPlan['argument'],
): InsertPlan {
  const { path } = field;
  const { role } = context;
  const given = context.arguments(field);
  return {
    kind: 'insert',
    table,
    path,
    role,
    argument,
    data: inputPlan(given[argument]),
    conflict: planConflict(role, table, given.on_conflict, `${path}.args.on_conflict`),
    response: argument === 'object' ? planRow(context, field, table) : planResponse(context, field, table),
  };
}

/** Plans `update` and `update_by_pk`, with the operators in the order of the schema. */
function planUpdate(
  context: PlanContext,
  field: SelectedField,
  mutation: 'update' | 'update_by_pk',
  table: Table,
): UpdatePlan {
  const { path } = field;
  const access = accessOf(updateAccess(table, context.role), field);
  const given = context.arguments(field);
  const { where, pk_columns, ...operators } = given;
  const checked = access.inputCheck && { checked: inputPlan(given) };
  const changes = Object.entries(operators).map(([operator, value]) => ({ operator, value: inputPlan(value) }));
  if (mutation === 'update') {
    const rows = planWhere(context, table, access, where, `${path}.args.where`);
    const response = planResponse(context, field, table);
    return { kind: 'update', table, path, access, key: undefined, where: rows, changes, response, ...checked };
  }
  const key = table.primaryKey ?? [];
  const members = key.map((column) => [column.field, new VariableReference(keyVariable(column.field))] as const);
  const rows = planKey(keyAccess(context, table, access), key, Object.fromEntries(members), `${path}.args.pk_columns`);
  const response = planRow(context, field, table);
  return {
    kind: 'update',
    table,
    path,
    access,
    key: inputPlan(pk_columns),
    where: rows,
    changes,
    response,
    ...checked,
  };
}

/** Returns the name of the variable for a member of `pk_columns`. It is no valid GraphQL name. */
export function keyVariable(field: string): string {
  return `pk_columns.${field}`;
}

function planDelete(
  context: PlanContext,
  field: SelectedField,
  mutation: 'delete' | 'delete_by_pk',
  table: Table,
): DeletePlan {
  const { path } = field;
  const access = accessOf(deleteAccess(table, context.role), field);
  const given = context.arguments(field);
  if (mutation === 'delete') {
    const where = planWhere(context, table, access, given.where, `${path}.args.where`);
    const checked = access.inputCheck && { checked: inputPlan(given) };
    return { kind: 'delete', table, path, access, where, response: planResponse(context, field, table), ...checked };
  }
  const where = planKey(keyAccess(context, table, access), table.primaryKey ?? [], given, `${path}.args`);
  const checked = access.inputCheck && { checked: inputPlan({ pk_columns: given }) };
  return { kind: 'delete', table, path, access, where, response: planRow(context, field, table), ...checked };
}

/** Restricts a lookup by key to rows in which the role sees the key. */
function keyAccess({ role }: PlanContext, table: Table, { filter }: DeleteAccess): Parameters<typeof planKey>[0] {
  return { filter, cells: selectAccess(table, role)?.cells };
}

function accessOf<Access extends UpdateAccess | NonNullable<ReturnType<typeof deleteAccess>>>(
  access: Access | undefined,
  field: SelectedField,
): Access {
  if (access === undefined) throw new TypeError(`the role has no ${field.path}`);
  return access;
}

function planResponse(context: PlanContext, field: SelectedField, table: Table): MutationResponse {
  if (field.definition === undefined) throw new TypeError(`nothing can be selected below ${field.path}`);
  const type = getNamedType(field.definition.type);
  const members = context.collect(type, field.selections, field.path).map((member) => {
    const { alias, binding } = member;
    switch (binding?.kind) {
      case undefined:
        return { kind: 'constant' as const, alias, value: type.name };
      case 'affectedRows':
        return { kind: 'affected' as const, alias };
      case 'returning':
        return { kind: 'returning' as const, alias, rows: writtenRows(context, member, table) };
      default:
        throw new TypeError(`${member.path} is no member of the response of a mutation`);
    }
  });
  return { shape: 'response', members };
}

function planRow(context: PlanContext, field: SelectedField, table: Table): MutationResponse {
  return { shape: 'row', rows: writtenRows(context, field, table) };
}

/** Written rows are returned regardless of the row rule. */
function writtenRows(context: PlanContext, field: SelectedField, table: Table): RowsPlan {
  return {
    table,
    where: everyRow,
    orderBy: [],
    distinctOn: [],
    limit: undefined,
    rowLimit: undefined,
    offset: undefined,
    fields: planFields(context, field, table),
  };
}
