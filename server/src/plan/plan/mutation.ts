/** Root fields that write to tables. Types only. */
import type { RoleName } from '@joinery/metadata/names';
import type { Column, DeleteAccess, Predicate, Presets, Table, UpdateAccess } from '../../model/types/table.ts';
import type { InputPlan } from './input.ts';
import type { RowsPlan } from './query.ts';

/** One root field that writes to a table. The written values are `InputPlan`s, so the plan is valid for any data. */
export type MutationPlan = InsertPlan | UpdatePlan | UpdateManyPlan | DeletePlan;

interface MutationFieldPlan {
  readonly table: Table;
  /** The path of the field, such as `$.selectionSet.insert_author`. */
  readonly path: string;
  readonly response: MutationResponse;
}

export interface InsertPlan extends MutationFieldPlan {
  readonly kind: 'insert';
  readonly role: RoleName;
  /** `object` takes one row. */
  readonly argument: 'objects' | 'object';
  /** `t_insert_input`, or a list of it. */
  readonly data: InputPlan;
  readonly conflict: ConflictPlan | undefined;
}

/** The effect on a row that already exists. */
export interface ConflictPlan {
  readonly target: ConflictTarget;
  /** Set to the values of the new row. If empty, the existing row is not changed. */
  readonly columns: readonly Column[];
  readonly presets: Presets;
  /** The existing rows that may be changed. */
  readonly where: Predicate;
  /** A check of changed rows, in addition to the check of the insert. */
  readonly check: Predicate | undefined;
}

/** The rows in conflict: those of a constraint, those with the same values of columns, or any. */
export type ConflictTarget =
  | { readonly kind: 'constraint'; readonly name: string }
  | { readonly kind: 'columns'; readonly columns: readonly Column[] }
  | { readonly kind: 'any' };

export interface UpdatePlan extends MutationFieldPlan {
  readonly kind: 'update';
  readonly access: UpdateAccess;
  /** The argument of `update_by_pk`. Its members are the variables `pk_columns.<field>` of `where`. */
  readonly key: InputPlan | undefined;
  readonly where: Predicate;
  /** By operator: `_set`, `_inc`, ... */
  readonly changes: readonly { readonly operator: string; readonly value: InputPlan }[];
  /** All arguments, if a webhook validates them. */
  readonly checked?: InputPlan;
}

export interface UpdateManyPlan extends MutationFieldPlan {
  readonly kind: 'updateMany';
  readonly role: RoleName;
  readonly access: UpdateAccess;
  /** A list of `t_updates`. */
  readonly updates: InputPlan;
}

export interface DeletePlan extends MutationFieldPlan {
  readonly kind: 'delete';
  readonly access: DeleteAccess;
  readonly where: Predicate;
  /** All arguments, if a webhook validates them. */
  readonly checked?: InputPlan;
}

/** `t_mutation_response`, or the one row. */
export type MutationResponse =
  | { readonly shape: 'response'; readonly members: readonly MutationMember[] }
  | { readonly shape: 'row'; readonly rows: RowsPlan };

export type MutationMember =
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | { readonly kind: 'affected'; readonly alias: string }
  /** The written rows, without the row rule and limit of the role. */
  | { readonly kind: 'returning'; readonly alias: string; readonly rows: RowsPlan };
