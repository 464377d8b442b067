/** What a field of a role's schema stands for. The planner reads it and never searches by name. */
import type { GraphQLArgument, GraphQLField, GraphQLInputField, GraphQLInputObjectType } from 'graphql';
import type { Action, OutputField } from '../model/types/action.ts';
import type {
  AggregateFunction,
  Column,
  ComputedField,
  Join,
  MutationKind,
  Predicate,
  Relationship,
  RemoteSchema,
  RootKind,
  SelectAccess,
  Table,
  TableFunction,
} from '../model/types/table.ts';

export type FieldBinding =
  | { readonly kind: 'root'; readonly root: RootKind; readonly table: Table; readonly access: SelectAccess }
  | { readonly kind: 'stream'; readonly table: Table; readonly access: SelectAccess }
  /** `seen`: in which rows the role sees it, where that is not all of them. */
  | { readonly kind: 'column'; readonly column: Column; readonly seen?: Predicate | undefined }
  /** A value that a function computes for the row. */
  | { readonly kind: 'computed'; readonly computed: ComputedField; readonly seen?: Predicate | undefined }
  | {
      readonly kind: 'computedRows';
      readonly computed: ComputedField;
      readonly table: Table;
      readonly access: SelectAccess;
    }
  | {
      readonly kind: 'function';
      readonly answer: 'rows' | 'aggregate';
      readonly function: TableFunction;
      readonly access: SelectAccess;
    }
  | { readonly kind: 'relationship'; readonly relationship: Relationship; readonly access: SelectAccess }
  | { readonly kind: 'relationshipAggregate'; readonly relationship: Relationship; readonly access: SelectAccess }
  /** `access` is to the rows that it leads to, if it leads to rows. */
  | { readonly kind: 'join'; readonly join: Join; readonly access: SelectAccess | undefined }
  | { readonly kind: 'joinAggregate'; readonly join: Join; readonly access: SelectAccess }
  | { readonly kind: 'aggregate' | 'nodes' | 'count' }
  | { readonly kind: 'aggregateFunction'; readonly function: Exclude<AggregateFunction, 'count'> }
  | { readonly kind: 'action'; readonly action: Action }
  /** What came of a run of an asynchronous action, and its members. */
  | { readonly kind: 'actionResult'; readonly action: Action }
  | { readonly kind: 'actionResultMember'; readonly member: 'id' | 'createdAt' | 'errors' | 'output' }
  | { readonly kind: 'outputField'; readonly field: OutputField }
  /** `field` is the remote schema's own name for it. */
  | {
      readonly kind: 'remote';
      readonly remote: RemoteSchema;
      readonly operation: 'query' | 'mutation';
      readonly field: string;
    }
  /** A root field that writes. */
  | { readonly kind: 'mutation'; readonly mutation: MutationKind; readonly table: Table }
  | { readonly kind: 'affectedRows' | 'returning' }
  /** A root field whose answer holds root fields. */
  | { readonly kind: 'namespace' }
  /** A root field whose answer is always the same. */
  | { readonly kind: 'constant'; readonly value: string };

const key = 'joinery';

/** As the `extensions` of a field's configuration. */
export function bound(binding: FieldBinding): { readonly [key]: FieldBinding } {
  return { [key]: binding };
}

/** The binding of a field; every field that the planner meets outside remote types has one. */
export function bindingOf(field: GraphQLField<unknown, unknown>): FieldBinding | undefined {
  return field.extensions[key] as FieldBinding | undefined;
}

const digits = 'joineryDigits';

/** As the `extensions` of an Int argument that takes a whole number as a string as well, which may be longer. */
export const takesDigits: { readonly [digits]: true } = { [digits]: true };

/** Does the argument take a whole number as a string? */
export function canTakeDigits(argument: GraphQLArgument): boolean {
  return argument.extensions[digits] === true;
}

const columnLists = 'joineryColumnLists';

/**
 * As the `extensions` of an input that takes values of a column or function argument, where a string of any type is read
 * by PostgreSQL. `lists`: 1 for a list of such values, 0 for one value, which itself is a list if the column is an array.
 */
export function takesColumnValue(lists: 0 | 1 = 0): { readonly [columnLists]: 0 | 1 } {
  return { [columnLists]: lists };
}

/** The `lists` of an input that takes values of a column; undefined for every other input. */
export function columnListsOf(input: GraphQLArgument | GraphQLInputField): 0 | 1 | undefined {
  return input.extensions[columnLists] as 0 | 1 | undefined;
}

const plans = 'joineryPlans';

/** As the `extensions` of a scalar input field whose value decides what is planned: a variable there is read at once. */
export const decidesPlan: { readonly [plans]: true } = { [plans]: true };

/** Does the value of the field decide what is planned? */
export function isDecisive(field: GraphQLInputField): boolean {
  return field.extensions[plans] === true;
}

const planned = 'joineryPlanned';

/** As the `extensions` of an input that the planner knows by another name than clients. */
export function plannedName(name: string): { readonly [planned]: string } {
  return { [planned]: name };
}

/** The name by which the planner knows an argument or a member of an input object. */
export function plannedNameOf(input: GraphQLArgument | GraphQLInputField): string {
  const name = input.extensions[planned];
  return typeof name === 'string' ? name : input.name;
}

const late = 'joineryLate';

/** As the `extensions` of an argument that is data: the plan holds for any value, variables in it are read when it runs. */
export const readWhenRun: { readonly [late]: true } = { [late]: true };

/** Is the argument data that the plan does not depend on? */
export function isReadWhenRun(argument: GraphQLArgument): boolean {
  return argument.extensions[late] === true;
}

const counted = 'joineryCounted';

/** As the `extensions` of the input objects of conditions and `order_by` arguments, whose members are limited. */
export const countedInput: { readonly [counted]: true } = { [counted]: true };

/** Whether the members of the input object count as members of a condition or an `order_by` argument. */
export function isCountedInput(type: GraphQLInputObjectType): boolean {
  return type.extensions[counted] === true;
}
