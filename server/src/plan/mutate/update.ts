/** The changes of an update, one for each column. */
import type { RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../base/errors.ts';
import { arrayOf, builtInTypes, textType } from '../../model/predicate/column-types.ts';
import type { ColumnType } from '../../model/types/column-type.ts';
import type { Column, Predicate, Table, UpdateAccess } from '../../model/types/table.ts';
import type { UpdateManyPlan } from '../plan/mutation.ts';
import { filteredWhere } from '../select/where.ts';
import { encodeText } from './values.ts';

export type ChangeOperator =
  | '_set'
  | '_inc'
  | '_append'
  | '_prepend'
  | '_delete_key'
  | '_delete_elem'
  | '_delete_at_path'
  /** Of data commands only, as `_default`, which sets the default value of the column. */
  | '_mul'
  | '_default';

export interface Change {
  readonly column: Column;
  readonly operator: ChangeOperator;
  /** In PostgreSQL's text form; null is the SQL null. */
  readonly value: string | null;
}

interface GivenChange {
  readonly operator: string;
  /** An object with values by field. */
  readonly value: unknown;
}

/** Returns the type of the right operand. */
export function changeType(operator: ChangeOperator, column: Column): ColumnType {
  switch (operator) {
    case '_set':
    case '_inc':
    case '_append':
    case '_prepend':
    case '_mul':
      return column.type;
    case '_default':
      return booleanType;
    case '_delete_key':
      return textType;
    case '_delete_elem':
      return integerType;
    case '_delete_at_path':
      return arrayOf(textType);
    default:
      return operator satisfies never;
  }
}

const integerType = builtInTypes.get('Int') ?? textType;
const booleanType = builtInTypes.get('Boolean') ?? textType;

const operators: ReadonlySet<string> = new Set<ChangeOperator>([
  ...(['_set', '_inc', '_append', '_prepend', '_delete_key', '_delete_elem', '_delete_at_path'] as const),
  ...(['_mul', '_default'] as const),
]);

function isOperator(name: string): name is ChangeOperator {
  return operators.has(name);
}

/** Returns the changes of one update. `path` is the path of the arguments. An operator given as null is ignored. */
export function arrangeChanges(table: Table, given: readonly GivenChange[], path: string): readonly Change[] {
  const there = given.filter(({ value }) => value !== undefined && value !== null);
  const changes = new Map<Column, Change>();
  for (const { operator, value } of there) {
    if (!isOperator(operator)) continue;
    for (const [field, one] of Object.entries(value as object)) {
      const column = table.columns.get(field);
      if (column === undefined) continue;
      if (changes.has(column)) {
        throw new ServiceError('validation-failed', `column found in multiple operators: "${field}"`, { path });
      }
      const text = encodeText(changeType(operator, column), one, `${path}.${operator}.${field}`);
      changes.set(column, { column, operator, value: text });
    }
  }
  return [...changes.values()];
}

export interface OneUpdate {
  readonly where: Predicate;
  readonly changes: readonly Change[];
}

/** Returns the updates of `update_many`, in order. `updates` is the argument with its variables replaced. */
export function arrangeUpdates(plan: UpdateManyPlan, updates: unknown): readonly OneUpdate[] {
  const { table, role, access } = plan;
  const list = Array.isArray(updates) ? (updates as readonly unknown[]) : [updates];
  return list.map((update, index) => arrangeUpdate(table, role, access, update, `${plan.path}.args.updates[${index}]`));
}

function arrangeUpdate(table: Table, role: RoleName, access: UpdateAccess, update: unknown, path: string): OneUpdate {
  const { where, ...rest } = update as Readonly<Record<string, unknown>>;
  const given = Object.entries(rest).map(([operator, value]) => ({ operator, value }));
  return {
    where: filteredWhere(role, table, access.filter, where, `${path}.where`),
    changes: arrangeChanges(table, given, path),
  };
}
