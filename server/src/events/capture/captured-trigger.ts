/** An event trigger as capture depends on it: a table, operations and what their events contain. */
import type { Sql } from '../../postgres/sql/sql.ts';

export type CapturedOperation = 'insert' | 'update' | 'delete';

export const capturedOperations: readonly CapturedOperation[] = ['insert', 'update', 'delete'];

export interface CapturedColumn {
  readonly name: string;
  /**
   * How two values are compared: by the operator `=` of the schema pg_catalog, or by their binary form for types without it, such
   * as json, and types of extensions.
   */
  readonly compare: 'value' | 'image';
}

/** How a column is stored in arrays, independent of types of the user, which could not be changed or dropped otherwise. */
export interface PackedColumn {
  readonly name: string;
  /** `attnum` in the table. */
  readonly number: number;
  /** The type of the stored values, as SQL. */
  readonly type: string;
  /** As it is, cast to `type`, or converted to JSON. */
  readonly how: 'plain' | 'cast' | 'json';
  /** The type that prints and compares the values, as SQL; the stored type if undefined. */
  readonly restored: string | undefined;
  /** Whether values that are distinct in the table are distinct as stored, and others are not. */
  readonly isExact: boolean;
}

/** The columns of a table when it was read. */
export interface TableLayout {
  /** `<attnum> <type oid> <name>` of each column, separated by commas. */
  readonly fingerprint: string;
  readonly columns: readonly PackedColumn[];
}

export interface OperationCapture {
  /** The columns of the payload. */
  readonly payload: '*' | readonly string[];
  /** Of update: an event is captured only where one of these columns has changed. */
  readonly listened?: '*' | readonly string[];
  /** The condition of an event, over the aliases `o` (the old row) and `n` (the new row), without parameters. A missing row is null. */
  readonly when?: Sql | undefined;
  /** The columns that `when` names, for triggers for each row; all columns of the table by default. */
  readonly whenColumns?: readonly string[] | undefined;
}

export interface CaptureTrigger {
  readonly number: number;
  readonly table: { readonly schema: string; readonly name: string };
  readonly operations: Readonly<Partial<Record<CapturedOperation, OperationCapture>>>;
  /** The columns of the table. Listened columns that it does not have are compared by their binary form. */
  readonly columns: readonly CapturedColumn[];
  /** Undefined: statements on many rows are captured like those on a few. */
  readonly layout?: TableLayout | undefined;
  /** The columns of the ordering key; undefined for a trigger without order. */
  readonly orderingKey?: readonly string[] | undefined;
  /** Whether only the last event of a key within a window is delivered. Its keys have the names of the columns, so that no event of
   * another definition has an equal key. */
  readonly debounced?: boolean;
  /**
   * `row` for tables whose rows are changed by statements on other tables (partitioned tables, partitions, inheritance), foreign
   * tables, and triggers that fire on replication. See `captureLevel`.
   */
  readonly level: 'statement' | 'row';
  /** Whether changes of logical replication and of sessions with `session_replication_role = replica` are captured. */
  readonly replication: boolean;
  /** The functions by which Hasura v2 captures the same changes: while one exists, its operation is not captured. */
  readonly yieldsTo?: Readonly<Partial<Record<CapturedOperation, Sql>>>;
}

/** Returns the name of a trigger, and of its function in the schema `joinery`. */
export function captureName(number: number, operation: CapturedOperation): string {
  return `joinery_${number}_${operation}`;
}
