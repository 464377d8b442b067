/** What was asked: the plan of one operation. Data only, printable; no behaviour, no I/O. */
import type { RoleName, SourceName } from '@joinery/metadata/names';

import type { ArgumentNode } from 'graphql';
import type { Action, OutputNamed, OutputObject, TypeRef } from '../../model/types/action.ts';

import type {
  AggregateFunction,
  Cells,
  Column,
  ColumnType,
  DeleteAccess,
  Operand,
  Predicate,
  Presets,
  Relationship,
  RemoteSchema,
  RemoteStep,
  RemoteTemplate,
  Table,
  UpdateAccess,
} from '../../model/types/table.ts';
import type { ForwardedField } from './forwarded.ts';

export interface OperationPlan {
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** Undefined for an anonymous operation. */
  readonly name: string | undefined;
  /** In the order of the answer. */
  readonly roots: readonly RootPlan[];
  /** A list of the database that holds more rows fails; undefined: any number. Never in a mutation. */
  readonly mostRows?: number | undefined;
}

export type RootPlan = RootWork & {
  /** Response key of the namespace that the root stands in; roots of one namespace follow each other. */
  readonly within?: string;
};

type RootWork =
  | { readonly kind: 'rows'; readonly alias: string; readonly rows: RowsPlan; readonly shape: 'list' | 'single' }
  | { readonly kind: 'aggregate'; readonly alias: string; readonly aggregate: AggregatePlan }
  /** Only in subscriptions. */
  | { readonly kind: 'stream'; readonly alias: string; readonly stream: StreamPlan }
  | { readonly kind: 'mutation'; readonly alias: string; readonly mutation: MutationPlan }
  | { readonly kind: 'action'; readonly alias: string; readonly call: CallPlan }
  /** An asynchronous action: its id is the answer, the call is made afterwards. */
  | { readonly kind: 'submit'; readonly alias: string; readonly call: CallPlan }
  | { readonly kind: 'actionResult'; readonly alias: string; readonly result: ActionResultPlan }
  | { readonly kind: 'remote'; readonly alias: string; readonly forward: RemoteFieldPlan }
  /** A namespace object or `__typename`, `__schema`, `__type`: known when planned. */
  | { readonly kind: 'constant'; readonly alias: string; readonly value: unknown };

/** A whole number known now, or a variable. */
export type Count =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'variable'; readonly name: string };

/** A call of a function. */
export interface FunctionCall {
  readonly schema: string;
  readonly name: string;
  readonly arguments: readonly CallArgument[];
}

export interface CallArgument {
  /** Undefined: passed by position. */
  readonly name: string | undefined;
  readonly type: ColumnType;
  /** The row that the call is a field of, the session variables as JSON, or what the caller gave. */
  readonly value:
    | { readonly kind: 'row' | 'allSessionVariables' }
    /** A part of the key of the join that the rows are fetched for. */
    | { readonly kind: 'key'; readonly index: number }
    | Operand;
}

/** Rows of one table with what is wanted of each. */
export interface RowsPlan {
  readonly table: Table;
  /** The function whose rows they are, in place of the table's own. */
  readonly from?: FunctionCall;
  /** The row rule of the role and the `where` argument together. */
  readonly where: Predicate;
  readonly orderBy: readonly OrderTerm[];
  readonly distinctOn: readonly Column[];
  /** Where the role sees the columns of `distinctOn`. */
  readonly cells?: Cells | undefined;
  readonly limit: Count | undefined;
  /** The role's own limit; the smaller of the two counts. */
  readonly rowLimit: number | undefined;
  /** The page ends only where the order does: rows that sort like its last one belong to it. */
  readonly withTies?: true;
  readonly offset: Count | undefined;
  readonly fields: readonly FieldPlan[];
}

/** Rows of one table in batches, in the order of one column. */
export interface StreamPlan {
  /** Sorted by the column, a batch to a page, ties included. */
  readonly rows: RowsPlan;
  readonly column: Column;
  readonly direction: 'asc' | 'desc';
  /** The first batch begins behind this value. */
  readonly initial: Operand;
}

export interface OrderTerm {
  readonly by: OrderKey;
  readonly direction: 'asc' | 'desc';
  readonly nulls: 'first' | 'last';
}

export type OrderKey =
  | { readonly kind: 'column'; readonly column: Column; readonly seen?: Predicate | undefined }
  /** The place of the column's value in the list that is part `index` of the key of the join. */
  | { readonly kind: 'place'; readonly column: Column; readonly index: number }
  /** Through object relationships; `filter` is the target's row rule. */
  | {
      readonly kind: 'related';
      readonly relationship: Relationship;
      readonly filter: Predicate;
      readonly key: OrderKey;
    }
  | {
      readonly kind: 'aggregate';
      readonly relationship: Relationship;
      readonly filter: Predicate;
      readonly function: AggregateFunction;
      /** Undefined for count(*). */
      readonly column: Column | undefined;
      /** Where the role sees the column of those rows. */
      readonly seen?: Predicate | undefined;
    };

/** One member of the JSON object of a row. */
export type FieldPlan =
  | {
      readonly kind: 'column';
      readonly alias: string;
      readonly column: Column;
      /** The `path` argument of json and jsonb columns, as path elements. */
      readonly path: readonly string[] | { readonly variable: string } | undefined;
      /** Where the role sees the column; elsewhere it is null. */
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
  /** Its rows come from a function of the row. */
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
  /** Filled after the rows are there. Its key columns stand in the same object as phantoms. */
  | { readonly kind: 'join'; readonly alias: string; readonly join: JoinPlan }
  /** The key column of a join, null where the role does not see it: fetched as `alias` (no GraphQL name) and stripped. */
  | { readonly kind: 'phantom'; readonly alias: string; readonly column: Column; readonly seen?: Predicate };

/** `t_aggregate`: the same rows, summed up and listed. */
export interface AggregatePlan {
  /**
   * Its `fields` are empty; where, order, distinct, limit and offset hold for all parts. `rowLimit` holds for `nodes`
   * alone: a role that may list ten rows may still count all that it may see.
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
      /** Where the role sees them. */
      readonly cells?: Cells | undefined;
      readonly distinct: boolean | { readonly variable: string };
    }
  | {
      readonly kind: 'function';
      readonly alias: string;
      readonly function: Exclude<AggregateFunction, 'count'>;
      readonly members: readonly (
        | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
        | {
            readonly kind: 'column';
            readonly alias: string;
            readonly column: Column;
            readonly seen?: Predicate | undefined;
          }
      )[];
    };

/** From values that are there to values that are fetched once for all distinct keys. */
export interface JoinPlan {
  /** Where the parts of the key stand in the parent object; null or missing in any part means no match. */
  readonly keys: readonly { readonly name: string; readonly type: ColumnType | undefined }[];
  readonly target: JoinTarget;
}

export type JoinTarget = RowsTarget | RemoteTarget | ActionTarget;

export interface RowsTarget {
  readonly kind: 'table';
  readonly source: SourceName;
  /** Columns of the table, in the order of `keys`; empty where `passed` is there. */
  readonly match: readonly Column[];
  /** Where the role sees the columns of `match`; other rows do not match. Undefined: in all of its rows. */
  readonly cells?: Cells | undefined;
  /** Of rows that a function returns for the keys (arguments of kind `key`): what the keys are cast to. */
  readonly passed?: readonly ColumnType[];
  /**
   * Position in `keys` of one that is a list: its items match. An object is then a list of them, with a place for each
   * item; the rows of an array are in the order of their keys.
   */
  readonly list?: number;
  /** `object` null without a match; `array` `[]`; `aggregate` the aggregate of no rows. */
  readonly want:
    | { readonly shape: 'object' | 'array'; readonly rows: RowsPlan }
    | { readonly shape: 'aggregate'; readonly aggregate: AggregatePlan };
}

export interface RemoteTarget extends ForwardedPlan {
  readonly kind: 'remote';
  readonly remote: RemoteSchema;
  readonly path: readonly RemoteStep[];
  /** For each step: what a permission sends. For the last, only in arguments that the relationship supplies. */
  readonly presets: readonly (readonly ArgumentNode[])[];
}

export interface ForwardedPlan extends ForwardedField {
  /** What is done with the answer; undefined: nothing. */
  readonly members: readonly RemoteMember[] | undefined;
}

/** A member of an object in a remote schema's answer with which something is to be done, where the object has it. */
export type RemoteMember =
  /** A type's name: by the remote schema's name, ours. */
  | { readonly kind: 'typename'; readonly alias: string; readonly names: ReadonlyMap<string, string> }
  | { readonly kind: 'object'; readonly alias: string; readonly members: readonly RemoteMember[] }
  /** Its keys stand in the same object as phantoms. */
  | { readonly kind: 'join'; readonly alias: string; readonly join: JoinPlan }
  | { readonly kind: 'phantom'; readonly alias: string };

export interface ActionTarget {
  readonly kind: 'action';
  readonly action: Action;
  /** Arguments made of keys and constants. */
  readonly supplied: Readonly<Record<string, RemoteTemplate>>;
  /** Those that the client gave. */
  readonly given: CallPlan['input'];
  /** The handler takes lists of inputs, at most so many at once; undefined: one input a call. */
  readonly batch: number | undefined;
  readonly output: OutputPlan;
}

/** One call of a handler. */
export interface CallPlan {
  readonly action: Action;
  readonly input: readonly { readonly name: string; readonly value: InputPlan }[];
  readonly output: OutputPlan;
}

/** What came of one run of an asynchronous action. */
export interface ActionResultPlan {
  readonly action: Action;
  readonly id: InputPlan;
  readonly members: readonly ActionResultMember[];
}

export type ActionResultMember =
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | { readonly kind: 'id' | 'createdAt' | 'errors'; readonly alias: string }
  | { readonly kind: 'output'; readonly alias: string; readonly output: OutputPlan };

/** A JSON value with variables in it. */
export type InputPlan =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly InputPlan[] }
  /** A member whose variable is not given is left out. */
  | { readonly kind: 'object'; readonly members: readonly { readonly name: string; readonly value: InputPlan }[] };

/** What is wanted of a handler's answer. */
export interface OutputPlan {
  readonly type: TypeRef<OutputNamed>;
  /** Undefined for scalars and enums, and where there are `members`. */
  readonly fields: readonly OutputFieldPlan[] | undefined;
  /** Of an interface or a union: what is wanted of a value of each of its members. */
  readonly members?: readonly { readonly object: OutputObject; readonly fields: readonly OutputFieldPlan[] }[];
}

export type OutputFieldPlan =
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | { readonly kind: 'field'; readonly alias: string; readonly name: string; readonly output: OutputPlan }
  /** Its keys name fields of the handler's answer, selected or not. */
  | { readonly kind: 'join'; readonly alias: string; readonly join: JoinPlan };

/** One root field that goes to a remote schema as it is. */
export interface RemoteFieldPlan extends ForwardedPlan {
  readonly remote: RemoteSchema;
  readonly operation: 'query' | 'mutation';
  readonly field: string;
  /** May its value be null? If not, a failure voids the answer. */
  readonly nullable: boolean;
}

/** One root field that writes to a table. What is written are `InputPlan`s: the plan holds for any data. */
export type MutationPlan = InsertPlan | UpdatePlan | UpdateManyPlan | DeletePlan;

/** What all of them have. */
interface Writing {
  readonly table: Table;
  /** The field: `$.selectionSet.insert_author`. */
  readonly path: string;
  readonly answer: MutationAnswer;
}

export interface InsertPlan extends Writing {
  readonly kind: 'insert';
  readonly role: RoleName;
  /** `object` takes one row. */
  readonly argument: 'objects' | 'object';
  /** `t_insert_input`, or a list of it. */
  readonly data: InputPlan;
  readonly conflict: ConflictPlan | undefined;
}

/** What happens to a row that is there already. */
export interface ConflictPlan {
  readonly constraint: string;
  /** Set to the values of the new row; none leaves the old row alone. */
  readonly columns: readonly Column[];
  readonly presets: Presets;
  /** The old rows that may be changed; others are left alone. */
  readonly where: Predicate;
  /** What a changed row must fulfil beside the check of the insert. */
  readonly check: Predicate | undefined;
}

export interface UpdatePlan extends Writing {
  readonly kind: 'update';
  readonly access: UpdateAccess;
  /** Of `update_by_pk`: its members are the variables `pk_columns.<field>` of `where`. */
  readonly key: InputPlan | undefined;
  readonly where: Predicate;
  /** By operator: `_set`, `_inc`, ... */
  readonly changes: readonly { readonly operator: string; readonly value: InputPlan }[];
  /** All arguments, where a webhook is to see them. */
  readonly checked?: InputPlan;
}

export interface UpdateManyPlan extends Writing {
  readonly kind: 'updateMany';
  readonly role: RoleName;
  readonly access: UpdateAccess;
  /** A list of `t_updates`. */
  readonly updates: InputPlan;
}

export interface DeletePlan extends Writing {
  readonly kind: 'delete';
  readonly access: DeleteAccess;
  readonly where: Predicate;
  /** All arguments, where a webhook is to see them. */
  readonly checked?: InputPlan;
}

/** `t_mutation_response`, or the one row. */
export type MutationAnswer =
  | { readonly shape: 'response'; readonly members: readonly MutationMember[] }
  | { readonly shape: 'row'; readonly rows: RowsPlan };

export type MutationMember =
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | { readonly kind: 'affected'; readonly alias: string }
  /** The rows that were written, without the row rule and limit of the role. */
  | { readonly kind: 'returning'; readonly alias: string; readonly rows: RowsPlan };
