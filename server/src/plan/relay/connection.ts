/** Plans connections of the Relay schema: the rows, the cursor where a page starts, and what is selected of the page. */
import { ServiceError } from '../../base/errors.ts';
import type { Column, SelectAccess, Table } from '../../model/types/table.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import { type ArgumentValue, VariableReference } from '../document/arguments.ts';
import type {
  ConnectionBound,
  ConnectionPart,
  ConnectionPlan,
  CursorPart,
  EdgeMember,
  FieldPlan,
  OrderTerm,
  PageInfoMember,
} from '../plan/query.ts';
import { selectedBelow } from '../select/aggregate.ts';
import { planCount, planSelection } from '../select/rows.ts';
import { cursorPart, readCursor } from './cursor.ts';

/** Plans the fields that are selected of each row. */
export type PlanFields = (context: PlanContext, field: SelectedField, table: Table) => readonly FieldPlan[];

/** Plans a field whose type is `tConnection` of `table`. */
export function planConnection(
  context: PlanContext,
  field: SelectedField,
  table: Table,
  access: SelectAccess,
  planFields: PlanFields,
): ConnectionPlan {
  const selection = planSelection(context, field, table, access);
  const path = `${field.path}.args`;
  const given = context.arguments(field);
  rejectBoth(given, 'first', 'last', path);
  rejectBoth(given, 'after', 'before', path);
  const orderBy = totalOrder(table, selection.orderBy, selection.distinctOn);
  const cursor = orderBy.map(({ by }) => cursorPart(by));
  return {
    rows: { ...selection, orderBy },
    cursor,
    bound: planBound('after', given.after, cursor, path) ?? planBound('before', given.before, cursor, path),
    page: planPage(context, 'first', given.first, path) ?? planPage(context, 'last', given.last, path),
    parts: planParts(context, field, table, planFields),
  };
}

function rejectBoth(given: Readonly<Record<string, ArgumentValue>>, one: string, other: string, path: string): void {
  if (isAbsent(given[one]) || isAbsent(given[other])) return;
  throw new ServiceError('validation-failed', `"${one}" and "${other}" are not allowed at once`, { path });
}

function isAbsent(value: ArgumentValue): value is null | undefined {
  return value === undefined || value === null;
}

/**
 * Returns the order with the columns of the primary key, so that no two rows are equal. Without an order it starts with the
 * columns of `distinct_on`. A term that occurred before has no effect and is left out.
 */
function totalOrder(
  { primaryKey = [] }: Table,
  order: readonly OrderTerm[],
  distinctOn: readonly Column[],
): readonly OrderTerm[] {
  const leading = order.length > 0 ? order : distinctOn.map(ascending);
  const known = new Set<string>();
  return [...leading, ...primaryKey.map(ascending)].filter(({ by }) => {
    const name = JSON.stringify(cursorPart(by).path);
    const isNew = !known.has(name);
    known.add(name);
    return isNew;
  });
}

function ascending(column: Column): OrderTerm {
  return { by: { kind: 'column', column }, direction: 'asc', nulls: 'last' };
}

function planBound(
  side: ConnectionBound['side'],
  value: ArgumentValue,
  cursor: readonly CursorPart[],
  path: string,
): ConnectionBound | undefined {
  if (isAbsent(value)) return undefined;
  if (value instanceof VariableReference) return { side, at: { variable: value.name, path } };
  return { side, at: { values: readCursor(value, cursor, path) } };
}

function planPage(
  context: PlanContext,
  end: 'first' | 'last',
  value: ArgumentValue,
  path: string,
): ConnectionPlan['page'] {
  const size = planCount(context, value, `${path}.${end}`);
  return size === undefined ? undefined : { end, size };
}

function planParts(
  context: PlanContext,
  field: SelectedField,
  table: Table,
  planFields: PlanFields,
): readonly ConnectionPart[] {
  return selectedBelow(context, field).map(({ member, typeName }): ConnectionPart => {
    const { alias } = member;
    switch (memberOf(member)) {
      case undefined:
        return { kind: 'constant', alias, value: typeName };
      case 'pageInfo':
        return { kind: 'pageInfo', alias, members: planPageInfo(context, member) };
      case 'edges':
        return { kind: 'edges', alias, members: planEdge(context, member, table, planFields) };
      default:
        throw new TypeError(`${member.path} is no member of a connection`);
    }
  });
}

function planPageInfo(context: PlanContext, field: SelectedField): readonly PageInfoMember[] {
  return selectedBelow(context, field).map(({ member, typeName }): PageInfoMember => {
    const kind = memberOf(member);
    switch (kind) {
      case undefined:
        return { kind: 'constant', alias: member.alias, value: typeName };
      case 'startCursor':
      case 'endCursor':
      case 'hasNextPage':
      case 'hasPreviousPage':
        return { kind, alias: member.alias };
      default:
        throw new TypeError(`${member.path} is no member of a page`);
    }
  });
}

function planEdge(
  context: PlanContext,
  field: SelectedField,
  table: Table,
  planFields: PlanFields,
): readonly EdgeMember[] {
  return selectedBelow(context, field).map(({ member, typeName }): EdgeMember => {
    const { alias } = member;
    switch (memberOf(member)) {
      case undefined:
        return { kind: 'constant', alias, value: typeName };
      case 'cursor':
        return { kind: 'cursor', alias };
      case 'node':
        return { kind: 'node', alias, fields: planFields(context, member, table) };
      default:
        throw new TypeError(`${member.path} is no member of an edge`);
    }
  });
}

function memberOf({ binding }: SelectedField) {
  return binding?.kind === 'connectionMember' ? binding.member : undefined;
}
