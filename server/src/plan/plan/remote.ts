/** Fields that are forwarded to remote schemas, in the names of the remote schema. Types only. */
import type { ArgumentNode, GraphQLInputType, SelectionSetNode, VariableDefinitionNode } from 'graphql';
import type { RemoteSchema } from '../../model/types/table.ts';

/** A forwarded field. `Join` is `JoinPlan` in a plan, and the selected join before it is planned. */
export interface ForwardedPlan<Join> {
  /** The arguments of the field; variables stay variables. */
  readonly arguments: readonly ArgumentNode[];
  /** Undefined if the field is a leaf. */
  readonly selection: SelectionSetNode | undefined;
  /** Definitions of the variables used in `arguments`, `selection` and presets. */
  readonly variables: readonly VariableDefinitionNode[];
  /** Variables whose values are session variables. */
  readonly session: readonly SessionValue[];
  /** The members of the response that have to be processed; undefined if there are none. */
  readonly members: readonly RemoteMember<Join>[] | undefined;
}

export interface SessionValue {
  readonly variable: string;
  /** Lower case. */
  readonly name: string;
  readonly type: GraphQLInputType;
  /** Those that the role has; undefined if the type is no enum or list of one. */
  readonly enumValues: ReadonlySet<string> | undefined;
}

/** A member of an object in the response of a remote schema that has to be processed where the object has it. */
export type RemoteMember<Join> =
  /** A type name. `names` maps the names of the remote schema to those of the role's schema. */
  | { readonly kind: 'typename'; readonly alias: string; readonly names: ReadonlyMap<string, string> }
  | { readonly kind: 'object'; readonly alias: string; readonly members: readonly RemoteMember<Join>[] }
  /**
   * Objects of `type`, a name of the remote schema, have it. They are sent with this name in its place. Its keys are phantoms of the
   * same object.
   */
  | { readonly kind: 'join'; readonly alias: string; readonly type: string; readonly join: Join }
  | { readonly kind: 'phantom'; readonly alias: string };

/** A root field that is forwarded to a remote schema. */
export interface RemoteFieldPlan<Join> extends ForwardedPlan<Join> {
  readonly remote: RemoteSchema;
  readonly operation: 'query' | 'mutation';
  readonly field: string;
  /** Whether its value may be null. If it may not, an error makes `data` null. */
  readonly nullable: boolean;
}
