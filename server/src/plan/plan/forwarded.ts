/** What is sent to a remote schema for one field, in its own names. Types only. */
import type { ArgumentNode, GraphQLInputType, SelectionSetNode, VariableDefinitionNode } from 'graphql';

export interface ForwardedField {
  /** Of the field; variables stay variables. */
  readonly arguments: readonly ArgumentNode[];
  /** Undefined when the field is a leaf. */
  readonly selection: SelectionSetNode | undefined;
  /** Definitions of the variables used in `arguments`, `selection` and presets. */
  readonly variables: readonly VariableDefinitionNode[];
  /** Variables whose values are session variables. */
  readonly session: readonly SessionValue[];
}

export interface SessionValue {
  readonly variable: string;
  /** Lower case. */
  readonly name: string;
  readonly type: GraphQLInputType;
}
