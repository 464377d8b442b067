/** Binds fields of a role's schema to model objects. The planner reads the binding and never searches by name. */
import type {
  GraphQLArgument,
  GraphQLField,
  GraphQLInputField,
  GraphQLInputObjectType,
  GraphQLObjectType,
} from 'graphql';
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
  /** `seen`: the condition under which the role sees the cell; undefined: always. */
  | { readonly kind: 'column'; readonly column: Column; readonly seen?: Predicate | undefined }
  /** A scalar computed field. */
  | { readonly kind: 'computed'; readonly computed: ComputedField; readonly seen?: Predicate | undefined }
  | {
      readonly kind: 'computedRows';
      readonly computed: ComputedField;
      readonly table: Table;
      readonly access: SelectAccess;
    }
  | {
      readonly kind: 'function';
      readonly result: 'rows' | 'aggregate';
      readonly function: TableFunction;
      readonly access: SelectAccess;
    }
  | { readonly kind: 'relationship'; readonly relationship: Relationship; readonly access: SelectAccess }
  | { readonly kind: 'relationshipAggregate'; readonly relationship: Relationship; readonly access: SelectAccess }
  /** `access` is that to the target's rows, if the target is a table or function. */
  | { readonly kind: 'join'; readonly join: Join; readonly access: SelectAccess | undefined }
  | { readonly kind: 'joinAggregate'; readonly join: Join; readonly access: SelectAccess }
  | { readonly kind: 'aggregate' | 'nodes' | 'count' }
  | { readonly kind: 'aggregateFunction'; readonly function: Exclude<AggregateFunction, 'count'> }
  | { readonly kind: 'action'; readonly action: Action }
  /** The result of an asynchronous action, and its members. */
  | { readonly kind: 'actionResult'; readonly action: Action }
  | { readonly kind: 'actionResultMember'; readonly member: 'id' | 'createdAt' | 'errors' | 'output' }
  | { readonly kind: 'outputField'; readonly field: OutputField }
  /** `field` is the upstream name. */
  | {
      readonly kind: 'remote';
      readonly remote: RemoteSchema;
      readonly operation: 'query' | 'mutation';
      readonly field: string;
    }
  /** A mutation root field of a table. */
  | { readonly kind: 'mutation'; readonly mutation: MutationKind; readonly table: Table }
  | { readonly kind: 'affectedRows' | 'returning' }
  /** A row by its global id, in the Relay schema. `targets`: by `relationKey(schema, name)`, one for each source. */
  | { readonly kind: 'node'; readonly targets: ReadonlyMap<string, readonly NodeTarget[]> }
  | { readonly kind: 'nodeId'; readonly table: Table; readonly key: readonly Column[] }
  /** Rows in pages: of a table, a function or a relationship. */
  | {
      readonly kind: 'connection';
      readonly table: Table;
      readonly access: SelectAccess;
      readonly function?: TableFunction;
      readonly relationship?: Relationship;
    }
  | { readonly kind: 'connectionMember'; readonly member: ConnectionMember }
  /** A root field that contains root fields. */
  | { readonly kind: 'namespace' }
  /** The root fields of Apollo Federation. */
  | { readonly kind: 'service' | 'entities'; readonly tables: readonly EntityTable[] }
  /** A root field with a constant value. */
  | { readonly kind: 'constant'; readonly value: string };

/** A table whose rows have global ids. */
export interface NodeTarget {
  readonly table: Table;
  readonly key: readonly Column[];
  readonly access: SelectAccess;
  /** The type of its rows. */
  readonly type: GraphQLObjectType;
}

export type ConnectionMember =
  | 'pageInfo'
  | 'edges'
  | 'cursor'
  | 'node'
  | 'startCursor'
  | 'endCursor'
  | 'hasNextPage'
  | 'hasPreviousPage';

/** A table whose rows are entities of Apollo Federation. */
export interface EntityTable {
  readonly table: Table;
  readonly access: SelectAccess;
  /** The type of its rows. */
  readonly type: GraphQLObjectType;
  readonly typeName: string;
}

const key = 'joinery';

/** The `extensions` of a field with that binding. */
export function bound(binding: FieldBinding): { readonly [key]: FieldBinding } {
  return { [key]: binding };
}

/** The binding of a field. All fields outside of remote types have one. */
export function bindingOf(field: Pick<GraphQLField<unknown, unknown>, 'extensions'>): FieldBinding | undefined {
  return field.extensions[key] as FieldBinding | undefined;
}

const digits = 'joineryDigits';

/** The `extensions` of an Int argument that also accepts a string of digits, which may exceed 32 bits. */
export const takesDigits: { readonly [digits]: true } = { [digits]: true };

/** Whether the argument accepts a string of digits. */
export function canTakeDigits(argument: GraphQLArgument): boolean {
  return argument.extensions[digits] === true;
}

const columnLists = 'joineryColumnLists';

/**
 * The `extensions` of an input for values of a column or function argument, which accepts a string for any type.
 * `lists`: 1 for a list of such values, 0 for one value, which is a list itself if the column is an array.
 */
export function takesColumnValue(lists: 0 | 1 = 0): { readonly [columnLists]: 0 | 1 } {
  return { [columnLists]: lists };
}

/** The `lists` of an input for values of a column; undefined for other inputs. */
export function columnListsOf(input: GraphQLArgument | GraphQLInputField): 0 | 1 | undefined {
  return input.extensions[columnLists] as 0 | 1 | undefined;
}

const plans = 'joineryPlans';

/** The `extensions` of a scalar input field that the plan depends on: a variable there is read during planning. */
export const decidesPlan: { readonly [plans]: true } = { [plans]: true };

/** Whether the plan depends on the value of the field. */
export function isDecisive(field: GraphQLInputField): boolean {
  return field.extensions[plans] === true;
}

const planned = 'joineryPlanned';

/** The `extensions` of an input whose name for the planner differs from that for clients. */
export function plannedName(name: string): { readonly [planned]: string } {
  return { [planned]: name };
}

/** The name of an argument or member of an input object for the planner. */
export function plannedNameOf(input: GraphQLArgument | GraphQLInputField): string {
  const name = input.extensions[planned];
  return typeof name === 'string' ? name : input.name;
}

const late = 'joineryLate';

/** The `extensions` of an argument that the plan does not depend on: variables in it are read when the plan runs. */
export const readWhenRun: { readonly [late]: true } = { [late]: true };

/** Whether the argument is read when the plan runs. */
export function isReadWhenRun(argument: GraphQLArgument): boolean {
  return argument.extensions[late] === true;
}

const counted = 'joineryCounted';

/** The `extensions` of input objects of conditions and `order_by` arguments, whose members are limited. */
export const countedInput: { readonly [counted]: true } = { [counted]: true };

/** Whether the members of the input object count as members of a condition or an `order_by` argument. */
export function isCountedInput(type: GraphQLInputObjectType): boolean {
  return type.extensions[counted] === true;
}
