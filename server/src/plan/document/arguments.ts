/** Argument values: literals of a document as JSON values, with their members in the order of the document. */
import {
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type ValueNode,
} from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { columnListsOf, isCountedInput, isDecisive, plannedNameOf } from '../../schema/binding.ts';
import { literalValue } from '../../schema/literal.ts';
import { coerceScalarLiteral } from '../../schema/scalars.ts';
import type { InputPlan } from '../plan/input.ts';
import { type ColumnUse, itemUse } from './column-values.ts';

/** A variable at the position of a scalar or a list of scalars. Its value is bound when the plan runs. */
export class VariableReference {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A JSON value that may contain VariableReferences at scalar positions. */
export type ArgumentValue = unknown;

/** Returns the value as part of a plan. A value without variables is one constant. */
export function inputPlan(value: ArgumentValue): InputPlan {
  if (value instanceof VariableReference) return { kind: 'variable', name: value.name };
  if (!hasVariables(value)) return { kind: 'constant', value };
  if (Array.isArray(value)) return { kind: 'list', items: value.map(inputPlan) };
  const members = Object.entries(value as object).map(([name, member]) => ({ name, value: inputPlan(member) }));
  return { kind: 'object', members };
}

function hasVariables(value: ArgumentValue): boolean {
  if (value instanceof VariableReference) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasVariables);
}

/** The variables of one request. Records those whose values the plan depends on. */
export interface VariableSource {
  /** Returns `undefined` if the variable was not given, and null if it was given as null. */
  state(name: string): null | undefined | 'given';
  /** Returns the value. The plan is then valid for this value only. */
  settle(name: string): unknown;
}

/**
 * The positions at which variables stay VariableReferences: those of scalars and lists of scalars; all, if the value is
 * not inspected; or none.
 */
export type Keep = 'scalars' | 'all' | 'nothing';

/** Returns the value of a valid literal of `type`. `undefined` only for a variable that was not given. */
export function readValue(
  node: ValueNode,
  type: GraphQLInputType,
  variables: VariableSource,
  keep: Keep,
  use?: ColumnUse,
): ArgumentValue {
  if (isNonNullType(type)) {
    const value = readValue(node, type.ofType, variables, keep, use);
    // A nullable variable with a default may be given as null.
    if (value !== null || node.kind !== Kind.VARIABLE) return value;
    const name = node.name.value;
    throw new ServiceError('validation-failed', `unexpected null value for type '${type.ofType}'`, {
      path: `$.variables.${name}`,
    });
  }
  if (node.kind === Kind.VARIABLE) return readVariable(node.name.value, type, variables, keep);
  if (node.kind === Kind.NULL) return null;
  if (isListType(type)) {
    if (use === 0 && node.kind === Kind.STRING) return node.value;
    const items = node.kind === Kind.LIST ? node.values : [node];
    return items.map((item) => readValue(item, type.ofType, variables, keep, itemUse(use)) ?? null);
  }
  if (isInputObjectType(type)) {
    const fields = type.getFields();
    const members: [string, ArgumentValue][] = [];
    for (const { name, value } of node.kind === Kind.OBJECT ? node.fields : []) {
      const field = fields[name.value];
      const inner = field && isDecisive(field) ? 'nothing' : keep;
      if (field === undefined) continue;
      const member = readValue(value, field.type, variables, inner, columnListsOf(field));
      // A condition without its value would match every row. As in Hasura v2, the value is null.
      if (member !== undefined) members.push([plannedNameOf(field), member]);
      else if (isCountedInput(type)) members.push([plannedNameOf(field), null]);
    }
    return Object.fromEntries(members);
  }
  if (isEnumType(type)) return type.parseLiteral(node, undefined);
  // Objects and lists are literals of custom scalars, and may hold variables.
  const plain = node.kind !== Kind.OBJECT && node.kind !== Kind.LIST;
  return plain ? coerceScalarLiteral(type, node, use === 0) : literalValue(node, (name) => variables.settle(name));
}

function readVariable(name: string, type: GraphQLInputType, variables: VariableSource, keep: Keep): ArgumentValue {
  const state = variables.state(name);
  if (state !== 'given') return state;
  const stays = keep === 'all' || (keep === 'scalars' && isScalarDeep(type));
  return stays ? new VariableReference(name) : variables.settle(name);
}

/** Whether the type is a scalar, or a list of scalars of any depth. */
function isScalarDeep(type: GraphQLInputType): boolean {
  if (isListType(type) || isNonNullType(type)) return isScalarDeep(type.ofType);
  return !isInputObjectType(type) && !isEnumType(type);
}
