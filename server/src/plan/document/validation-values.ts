/** Validates literals against their types. Each error is reported at the invalid literal. */
import {
  type ASTNode,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type ObjectValueNode,
  type ValidationContext,
  type ValueNode,
} from 'graphql';
import type { ServiceError } from '../../base/errors.ts';
import { arrayText } from '../../model/predicate/encode.ts';
import { canTakeDigits, columnListsOf } from '../../schema/binding.ts';
import { literalValue } from '../../schema/literal.ts';
import { coerceScalarLiteral, mismatch } from '../../schema/scalars.ts';
import { type ColumnUse, itemUse } from './column-values.ts';
import { elementType, missingField, missingMember, scalarError, unexpectedNull, unknownMember } from './variables.ts';

/** Reports the errors of a literal. Variables in it are checked by another rule. */
export function checkLiteral(
  context: ValidationContext,
  node: ValueNode,
  type: GraphQLInputType,
  argument?: GraphQLArgument,
  use: ColumnUse = argument && columnListsOf(argument),
): void {
  if (node.kind === Kind.VARIABLE) return;
  if (isNonNullType(type)) {
    if (node.kind === Kind.NULL) reportError(context, node, unexpectedNull(String(type.ofType)));
    else checkLiteral(context, node, type.ofType, argument, use);
    return;
  }
  if (node.kind === Kind.NULL) return;
  if (isListType(type)) {
    const items = node.kind === Kind.LIST ? node.values : [node];
    if (use === 0 && node.kind === Kind.STRING) checkArrayText(context, node, node.value);
    // An array may contain null, as in Hasura v2, although its elements are declared non-null.
    else for (const item of items) checkLiteral(context, item, elementType(type, use), undefined, itemUse(use));
  } else if (isInputObjectType(type)) {
    if (node.kind === Kind.OBJECT) checkMembers(context, node, type);
    else reportError(context, node, mismatch('an object', type.name, plain(node)));
  } else if (isEnumType(type)) {
    if (node.kind === Kind.ENUM && type.getValue(node.value) != null) return;
    reportError(
      context,
      node,
      unknownMember(type.getValues(), type.name, node.kind === Kind.ENUM ? node.value : plain(node)),
    );
  } else if (!(argument !== undefined && canTakeDigits(argument) && isDigits(node))) {
    checkScalar(context, node, type, use === 0);
  }
}

function checkMembers(context: ValidationContext, node: ObjectValueNode, type: GraphQLInputObjectType): void {
  const fields = type.getFields();
  for (const member of node.fields) {
    const name = member.name.value;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) reportError(context, member, missingField(name, type.name));
    else checkLiteral(context, member.value, field.type, undefined, columnListsOf(field));
  }
  for (const field of Object.values(fields)) {
    if (!isRequiredInputField(field) || node.fields.some((member) => member.name.value === field.name)) continue;
    reportError(context, node, missingMember(field.name));
  }
}

/** Reports a text that is no array. Its elements are parsed by PostgreSQL. */
function checkArrayText(context: ValidationContext, node: ValueNode, text: string): void {
  try {
    arrayText(text);
  } catch (error) {
    reportError(context, node, scalarError(error, 'array'));
  }
}

function checkScalar(context: ValidationContext, node: ValueNode, type: GraphQLScalarType, ofColumn: boolean): void {
  // Lists and objects are literals of custom scalars. Variables in them have no values yet.
  if (holdsVariables(node)) return;
  try {
    coerceScalarLiteral(type, node, ofColumn);
  } catch (error) {
    reportError(context, node, scalarError(error, type.name));
  }
}

function holdsVariables(node: ValueNode): boolean {
  if (node.kind === Kind.LIST) return node.values.some(holdsVariables);
  if (node.kind === Kind.OBJECT) return node.fields.some((member) => holdsVariables(member.value));
  return node.kind === Kind.VARIABLE;
}

/** Whether the node is a whole number, or a string with one, that a JavaScript number represents exactly. */
function isDigits(node: ValueNode): boolean {
  const isText = node.kind === Kind.STRING && /^-?\d+$/.test(node.value);
  return (isText || node.kind === Kind.INT) && Number.isSafeInteger(Number(node.value));
}

function plain(node: ValueNode): unknown {
  return literalValue(node, () => undefined);
}

function reportError(context: ValidationContext, node: ASTNode, error: ServiceError): void {
  context.reportError(new GraphQLError(error.message, { nodes: [node], originalError: error }));
}
