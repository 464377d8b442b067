/** What the parts of the planner share while one operation is planned. Types only. */
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

/** One member of an answer: fields of the same response key merged, fragments and @skip/@include resolved. */
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
  /** Members of an object of `type` in order. Interfaces and unions: as far as the type's own fields go. */
  collect(type: GraphQLNamedType, selections: readonly SelectionSetNode[], path: string): readonly SelectedField[];
  /**
   * The value of an argument as JSON. A variable at a scalar position becomes a VariableReference; one at any other
   * position (input objects, lists of them, enums) is read now, and the plan then holds for that value only. A variable
   * that was not given is as if the member were not written: the result is `undefined`; one given as null is `null`.
   */
  read(node: ValueNode, type: GraphQLInputType): ArgumentValue;
  /** A value of `read` in full: a VariableReference is replaced by its value, and the plan then holds for that value only. */
  settle(value: ArgumentValue): unknown;
  /** Counts what the input values of the operation hold, wherever they are used. */
  readonly count: InputCount;
  /** Is the number that the variable brings below zero? Part of what a plan is cached by. */
  isNegative(reference: VariableReference): boolean;
  /**
   * All arguments of a field by name, `read`, those not given left out. Of an action's field, whose values go to the
   * handler unread, a variable stays a VariableReference wherever it stands.
   */
  arguments(field: SelectedField): Readonly<Record<string, ArgumentValue>>;
  /**
   * The selections as one set for forwarding to a remote schema: fragments inlined, @skip and @include resolved,
   * variables left as variables; and the definitions of the variables used there and in `args`.
   */
  forward(
    selections: readonly SelectionSetNode[],
    args: readonly ArgumentNode[],
  ): { readonly selection: SelectionSetNode | undefined; readonly variables: readonly VariableDefinitionNode[] };
}
