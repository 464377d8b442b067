/** Whether statements of requests with the same plan may be merged into one. */
import type { Operand, Predicate, Table } from '../../model/types/table.ts';
import type { FieldPlan, RowsPlan, RowsTarget } from '../../plan/plan/query.ts';
import type { Slot, Statement } from '../../postgres/sql/sql.ts';
import { type MergedJoin, type MergedStatement, printMerged, printMergedJoin } from '../../print/multiplexed/merged.ts';
import type { PrintSettings } from '../../print/printing.ts';
import type { DatabaseRoot } from '../../print/roots.ts';
import { type MergeForm, overKeys, overKeysAndValues, overLists, shared } from './merge-form.ts';

/** A statement that may be merged. */
export interface Mergeable {
  /**
   * `shared`: it has no values. `keyed`: each root is a row by a unique key, so that its plan is the same with any value.
   * `planned`: the plans are compared before it is merged. `join`: the keys of a join are already a list.
   */
  readonly kind: 'shared' | 'keyed' | 'planned' | 'join';
  readonly form: MergeForm;
  /** For requests that are not alike by `form`, such as joins with other session variables. Its plan is compared. */
  readonly mixed?: MergeForm | undefined;
}

const known = new WeakMap<Statement, Mergeable | 'never'>();

/** Returns how the statement of the roots may be merged; undefined where it may not. Cached for the lifetime of the plan. */
export function mergeableRoots(
  statement: Statement,
  roots: readonly DatabaseRoot[],
  settings: PrintSettings,
): Mergeable | undefined {
  return cached(statement, () => createMergeable(statement, roots, settings));
}

/** Returns how the statement of a join may be merged; undefined where it may not. */
export function mergeableJoin(
  statement: Statement,
  target: RowsTarget,
  settings: PrintSettings,
): Mergeable | undefined {
  return cached(statement, () => {
    const merged = printMergedJoin(target, settings);
    // Its results may differ from run to run.
    if (merged.isVolatile) return undefined;
    const isMixed = !statement.slots.every(isSharedByAll) && isComplete(merged, statement);
    return { kind: 'join', form: overKeys(statement), mixed: isMixed ? overKeysAndValues(merged) : undefined };
  });
}

/** Whether the source of each parameter is known. */
function isComplete({ slots, single }: MergedJoin, statement: Statement): boolean {
  return haveSameSlots({ slots: single }, statement) && slots.every(({ from }) => from >= 0);
}

/** Whether all requests have the same value, or the slot is a list of keys. */
function isSharedByAll({ kind }: Slot): boolean {
  return kind === 'value' || kind === 'input';
}

function cached(statement: Statement, create: () => Mergeable | undefined): Mergeable | undefined {
  let found = known.get(statement);
  if (found === undefined) {
    found = create() ?? 'never';
    known.set(statement, found);
  }
  return found === 'never' ? undefined : found;
}

function createMergeable(
  statement: Statement,
  roots: readonly DatabaseRoot[],
  settings: PrintSettings,
): Mergeable | undefined {
  const merged = printMerged(roots, settings);
  // Its results may differ from run to run.
  if (merged.isVolatile) return undefined;
  if (statement.slots.length === 0) return { kind: 'shared', form: shared(statement) };
  if (!haveSameSlots(merged, statement)) return undefined;
  return { kind: roots.every(isKeyed) ? 'keyed' : 'planned', form: overLists(merged) };
}

/** The values of a request are bound once, for either statement. Constants at the same place are equal. */
function haveSameSlots({ slots }: Pick<MergedStatement, 'slots'>, statement: Statement): boolean {
  return slots.length === statement.slots.length && slots.every((slot, index) => isSame(slot, statement.slots[index]));
}

function isSame(one: Slot, other: Slot | undefined): boolean {
  if (other === undefined || one.kind !== other.kind) return false;
  return one.kind === 'value' || other.kind === 'value' || one.name === other.name;
}

/** Whether the root is at most one row, which a unique key finds. */
function isKeyed(root: DatabaseRoot): boolean {
  if (root.kind !== 'rows') return false;
  const { rows } = root;
  return rows.from === undefined && rows.table.native === undefined && findsOne(rows) && rows.fields.every(isOfOneRow);
}

function findsOne({ table, where }: RowsPlan): boolean {
  const compared = new Set(equalColumns(where));
  return keysOf(table).some((key) => key.length > 0 && key.every((name) => compared.has(name)));
}

function keysOf({ primaryKey, uniqueKeys }: Table): readonly (readonly string[])[] {
  return [
    ...(primaryKey === undefined ? [] : [primaryKey.map(({ name }) => name)]),
    ...uniqueKeys.map(({ columns }) => columns),
  ];
}

/** Returns the columns that must equal a value of the request. */
function equalColumns(predicate: Predicate): readonly string[] {
  if (predicate.kind === 'and') return predicate.of.flatMap(equalColumns);
  if (predicate.kind === 'rule') return equalColumns(predicate.of);
  if (predicate.kind !== 'compare' || predicate.operator.name !== '_eq') return [];
  const { left, right } = predicate;
  if (left.cast !== undefined || left.seen !== undefined || left.column.computed !== undefined) return [];
  return isValue(right) ? [left.column.name] : [];
}

function isValue({ kind }: Operand): boolean {
  return kind === 'constant' || kind === 'variable' || kind === 'session';
}

/** Whether the field reads the row itself, or rows of object relationships. */
function isOfOneRow(field: FieldPlan): boolean {
  switch (field.kind) {
    case 'column':
    case 'phantom':
    case 'constant':
    case 'nodeId':
    case 'join':
      return true;
    case 'object':
      return field.rows.fields.every(isOfOneRow);
    case 'computed':
    case 'computedRows':
    case 'array':
    case 'aggregate':
    case 'connection':
      return false;
    default:
      return field satisfies never;
  }
}
