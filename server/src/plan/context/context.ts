/** The state shared by all parts of the planner during the planning of one operation. Types only. */
import type { RoleName } from '@joinery/metadata/names';
import type {
  ArgumentNode,
  GraphQLField,
  GraphQLInputType,
  GraphQLNamedType,
  GraphQLSchema,
  SelectionSetNode,
  ValueNode,
  VariableDefinitionNode,
} from 'graphql';
import type { FieldBinding } from '../../schema/binding.ts';
import type { ArgumentValue, VariableReference } from '../document/arguments.ts';
import type { InputCount } from '../document/input-limits.ts';

/** One member of a response: fields with the same response key merged, fragments and @skip/@include resolved. */
export interface SelectedField {
  /** Response key. */
  readonly alias: string;
  readonly name: string;
  /** Undefined for `__typename`. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  readonly binding: FieldBinding | undefined;
  readonly arguments: readonly ArgumentNode[];
  /** The selection sets of all merged occurrences; empty for a leaf. */
  readonly selections: readonly SelectionSetNode[];
  /** Such as `$.selectionSet.author.selectionSet.articles`. */
  readonly path: string;
}

export interface PlanContext {
  readonly schema: GraphQLSchema;
  readonly role: RoleName;
  /** By name. */
  readonly variableDefinitions: ReadonlyMap<string, VariableDefinitionNode>;
  /** Returns the members of an object of `type` in order. For interfaces and unions, only fields of the type itself. */
  collect(type: GraphQLNamedType, selections: readonly SelectionSetNode[], path: string): readonly SelectedField[];
  /**
   * Returns the value of an argument as JSON. A variable at a scalar position becomes a VariableReference. A variable at
   * any other position (input object, list of them, enum) is read now, and the plan is valid for that value only. A
   * variable that was not given results in `undefined`, one given as null in `null`.
   */
  read(node: ValueNode, type: GraphQLInputType): ArgumentValue;
  /** Replaces VariableReferences in a value by their values. The plan is then valid for these values only. */
  settle(value: ArgumentValue): unknown;
  /** Counts the members of the input values at each use. */
  readonly count: InputCount;
  /** Whether the value of the variable is a negative number. Part of the cache key of a plan. */
  isNegative(reference: VariableReference): boolean;
  /**
   * Returns the given arguments of a field by name, as `read` returns them. In the arguments of an action, variables stay
   * VariableReferences at all positions, because the handler receives the values unprocessed.
   */
  arguments(field: SelectedField): Readonly<Record<string, ArgumentValue>>;
  /**
   * Returns the selections as one set to be forwarded to a remote schema, with fragments inlined, @skip and @include
   * resolved and variables preserved, and the definitions of the variables used there and in `args`.
   */
  forward(
    selections: readonly SelectionSetNode[],
    args: readonly ArgumentNode[],
  ): { readonly selection: SelectionSetNode | undefined; readonly variables: readonly VariableDefinitionNode[] };
}
