/** Rows, aggregates and joins with the fields selected of them. One file, since a join can contain rows. Types only. */
import type { SourceName } from '@joinery/metadata/names';
import type { ArgumentNode } from 'graphql';
import type { Action, OutputNamed, OutputObject, TypeRef } from '../../model/types/action.ts';
import type { ColumnType, Routine } from '../../model/types/column-type.ts';
import type {
  AggregateFunction,
  Cells,
  Column,
  Operand,
  Predicate,
  Relationship,
  RemoteSchema,
  RemoteStep,
  RemoteTemplate,
  Table,
} from '../../model/types/table.ts';
import type { InputMember } from './input.ts';
import type { ForwardedPlan } from './remote.ts';

/** A constant whole number, or a variable. */
export type Count =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'variable'; readonly name: string };

/** A call of a function. */
export interface FunctionCall {
  readonly kind?: undefined;
  readonly schema: string;
  readonly name: string;
  readonly arguments: readonly CallArgument[];
  /** Whether each call may have another result. */
  readonly isVolatile?: true;
}

export interface CallArgument {
  /** Undefined: passed by position. */
  readonly name: string | undefined;
  readonly type: ColumnType;
  /** The row that the call is a field of, the session variables as JSON, or the caller's value. */
  readonly value:
    | { readonly kind: 'row' | 'allSessionVariables' }
    /** Part `index` of the join key. */
    | { readonly kind: 'key'; readonly index: number }
    | Operand;
}

/** The SQL of a native query: text, and values of arguments. */
export interface NativeCall {
  readonly kind: 'native';
  readonly parts: readonly (string | { readonly type: ColumnType; readonly value: Operand })[];
}

/** Rows of one table with the fields selected of each. */
export interface RowsPlan {
  readonly table: Table;
  /** The function or the native query that returns the rows, in place of the table. */
  readonly from?: FunctionCall | NativeCall;
  /** The row rule of the role combined with the `where` argument. */
  readonly where: Predicate;
  readonly orderBy: readonly OrderTerm[];
  readonly distinctOn: readonly Column[];
  /** The rows in which the role sees the columns of `distinctOn`. */
  readonly cells?: Cells | undefined;
  readonly limit: Count | undefined;
  /** The limit of the role; the smaller of `limit` and `rowLimit` applies. */
  readonly rowLimit: number | undefined;
  /** Whether the page includes the rows that sort equal to its last row. */
  readonly withTies?: true;
  readonly offset: Count | undefined;
  readonly fields: readonly FieldPlan[];
}

/** Rows of one table in batches, in the order of one column. */
export interface StreamPlan {
  /** Sorted by the column, one batch a page, ties included. */
  readonly rows: RowsPlan;
  readonly column: Column;
  readonly direction: 'asc' | 'desc';
  /** The first batch starts after this value. */
  readonly initial: Operand;
}

export interface OrderTerm {
  readonly by: OrderKey;
  readonly direction: 'asc' | 'desc';
  readonly nulls: 'first' | 'last';
}

export type OrderKey =
  | { readonly kind: 'column'; readonly column: Column; readonly seen?: Predicate | undefined }
  /** The position of the column's value in the list that is part `index` of the join key. */
  | { readonly kind: 'place'; readonly column: Column; readonly index: number }
  /** A column behind an object relationship; `filter` is the row rule of the target. */
  | {
      readonly kind: 'related';
      readonly relationship: Relationship;
      readonly filter: Predicate;
      readonly key: OrderKey;
    }
  | (OrderAggregate & { readonly kind: 'aggregate'; readonly relationship: Relationship })
  /** Of the rows that a computed field returns. */
  | (OrderAggregate & { readonly kind: 'computedAggregate'; readonly routine: Routine });

/** An aggregate of rows to order by. */
export interface OrderAggregate {
  /** The row rule of the rows. */
  readonly filter: Predicate;
  readonly function: AggregateFunction;
  /** Undefined for count(*). */
  readonly column: Column | undefined;
  /** The rows in which the role sees the column. */
  readonly seen?: Predicate | undefined;
}

/** One member of the JSON object of a row. */
export type FieldPlan =
  | {
      readonly kind: 'column';
      readonly alias: string;
      readonly column: Column;
      /** The `path` argument of json and jsonb columns, as path elements. */
      readonly path: readonly string[] | { readonly variable: string } | undefined;
      /** The rows in which the role sees the column; in others it is null. */
      readonly seen?: Predicate | undefined;
    }
  | {
      readonly kind: 'computed';
      readonly alias: string;
      readonly call: FunctionCall;
      readonly type: ColumnType;
      readonly path: Extract<FieldPlan, { kind: 'column' }>['path'];
      readonly seen?: Predicate | undefined;
    }
  /** Rows returned by a function of the row. */
  | { readonly kind: 'computedRows'; readonly alias: string; readonly rows: RowsPlan }
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | { readonly kind: 'object'; readonly alias: string; readonly relationship: Relationship; readonly rows: RowsPlan }
  | { readonly kind: 'array'; readonly alias: string; readonly relationship: Relationship; readonly rows: RowsPlan }
  | {
      readonly kind: 'aggregate';
      readonly alias: string;
      readonly relationship: Relationship;
      readonly aggregate: AggregatePlan;
    }
  /** The global id of the row in the Relay schema. */
  | { readonly kind: 'nodeId'; readonly alias: string; readonly table: Table; readonly key: readonly Column[] }
  | {
      readonly kind: 'connection';
      readonly alias: string;
      readonly relationship: Relationship;
      readonly connection: ConnectionPlan;
    }
  /** Filled after the rows are fetched. Its key columns are phantoms of the same object. */
  | { readonly kind: 'join'; readonly alias: string; readonly join: JoinPlan }
  /**
   * The key column of a join, null where the role does not see it. It is fetched as `alias`, which is no GraphQL name,
   * and removed from the response.
   */
  | { readonly kind: 'phantom'; readonly alias: string; readonly column: Column; readonly seen?: Predicate };

/** `t_aggregate`: aggregates of rows, and the rows themselves. */
export interface AggregatePlan {
  /**
   * Its `fields` are empty. `where`, order, `distinctOn`, limit and offset apply to all parts. `rowLimit` applies to
   * `nodes` alone: a role that may list ten rows may count all rows that it sees.
   */
  readonly rows: RowsPlan;
  readonly parts: readonly AggregatePart[];
}

export type AggregatePart =
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | { readonly kind: 'aggregate'; readonly alias: string; readonly members: readonly AggregateMember[] }
  | { readonly kind: 'nodes'; readonly alias: string; readonly fields: readonly FieldPlan[] };

export type AggregateMember =
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | {
      readonly kind: 'count';
      readonly alias: string;
      /** Empty for count(*). */
      readonly columns: readonly Column[];
      /** The rows in which the role sees the columns. */
      readonly cells?: Cells | undefined;
      readonly distinct: boolean | { readonly variable: string };
    }
  | {
      readonly kind: 'function';
      readonly alias: string;
      readonly function: Exclude<AggregateFunction, 'count'>;
      readonly members: readonly AggregatedValue[];
    };

/** A value of each row that an aggregate function takes: a column or a scalar computed field. */
export type AggregatedValue =
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | {
      readonly kind: 'column';
      readonly alias: string;
      readonly column: Column;
      readonly seen?: Predicate | undefined;
    }
  | {
      readonly kind: 'computed';
      readonly alias: string;
      readonly call: FunctionCall;
      readonly type: ColumnType;
      readonly seen?: Predicate | undefined;
    };

/** `t_connection` of the Relay schema: rows in pages with cursors. */
export interface ConnectionPlan {
  /** Without fields, limit and offset. Its order is total: it contains the primary key. `rowLimit` limits a page. */
  readonly rows: RowsPlan;
  /** What a cursor has of each term of the order. */
  readonly cursor: readonly CursorPart[];
  /** The rows strictly after or before a cursor; undefined: all rows. */
  readonly bound: ConnectionBound | undefined;
  /** The first or the last rows within the bound; undefined: all. */
  readonly page: { readonly end: 'first' | 'last'; readonly size: Count } | undefined;
  readonly parts: readonly ConnectionPart[];
}

export interface CursorPart {
  /** The names of the members that lead to the value: `['author', 'name']`. */
  readonly path: readonly string[];
  readonly type: ColumnType;
  readonly nullable: boolean;
}

export interface ConnectionBound {
  readonly side: 'after' | 'before';
  /** The parameters for the values of the cursor, or the variable with the cursor. `path` is that of the argument. */
  readonly at: { readonly values: readonly unknown[] } | { readonly variable: string; readonly path: string };
}

export type ConnectionPart =
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | { readonly kind: 'pageInfo'; readonly alias: string; readonly members: readonly PageInfoMember[] }
  | { readonly kind: 'edges'; readonly alias: string; readonly members: readonly EdgeMember[] };

export type PageInfoMember =
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | { readonly kind: 'startCursor' | 'endCursor' | 'hasNextPage' | 'hasPreviousPage'; readonly alias: string };

export type EdgeMember =
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | { readonly kind: 'cursor'; readonly alias: string }
  | { readonly kind: 'node'; readonly alias: string; readonly fields: readonly FieldPlan[] };

/** Values that are fetched for the distinct keys of objects that have been fetched before. */
export interface JoinPlan {
  /** The names of the key parts in the parent object. A key with a null or missing part has no match. */
  readonly keys: readonly { readonly name: string; readonly type: ColumnType | undefined }[];
  readonly target: JoinTarget;
}

export type JoinTarget = RowsTarget | RemoteTarget | ActionTarget;

export interface RowsTarget {
  readonly kind: 'table';
  readonly source: SourceName;
  /** Columns of the table, in the order of `keys`; empty if `passed` is set. */
  readonly match: readonly Column[];
  /** The rows in which the role sees the columns of `match`; other rows do not match. Undefined: all rows. */
  readonly cells?: Cells | undefined;
  /** For rows that a function returns for the keys (arguments of kind `key`): the types of the keys. */
  readonly passed?: readonly ColumnType[];
  /**
   * Position in `keys` of a part that is a list, whose items match. An `object` is then a list of objects, one for each
   * item; the rows of an `array` are in the order of their keys.
   */
  readonly list?: number;
  /** Without a match, `object` is null, `array` is `[]` and `aggregate` is the aggregate of no rows. */
  readonly want:
    | { readonly shape: 'object' | 'array'; readonly rows: RowsPlan }
    | { readonly shape: 'aggregate'; readonly aggregate: AggregatePlan };
}

export interface RemoteTarget extends ForwardedPlan<JoinPlan> {
  readonly kind: 'remote';
  readonly remote: RemoteSchema;
  readonly path: readonly RemoteStep[];
  /** Presets of each step. For the last step, only those in arguments that the relationship supplies. */
  readonly presets: readonly (readonly ArgumentNode[])[];
}

export interface ActionTarget {
  readonly kind: 'action';
  readonly action: Action;
  /** Arguments built of keys and constants. */
  readonly supplied: Readonly<Record<string, RemoteTemplate>>;
  /** Arguments given by the client. */
  readonly given: readonly InputMember[];
  /** The maximum number of inputs in one call of a batch handler. Undefined: one input a call. */
  readonly batch: number | undefined;
  readonly output: OutputPlan;
}

/** The fields selected of a handler's response. */
export interface OutputPlan {
  readonly type: TypeRef<OutputNamed>;
  /** Undefined for scalars and enums, and where `members` is set. */
  readonly fields: readonly OutputFieldPlan[] | undefined;
  /** Of an interface or a union: the fields selected of each of its object types. */
  readonly members?: readonly { readonly object: OutputObject; readonly fields: readonly OutputFieldPlan[] }[];
}

export type OutputFieldPlan =
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | { readonly kind: 'field'; readonly alias: string; readonly name: string; readonly output: OutputPlan }
  /** Its keys are names of fields of the handler's response, selected or not. */
  | { readonly kind: 'join'; readonly alias: string; readonly join: JoinPlan };
