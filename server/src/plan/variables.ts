/** The variables of a request: checked against their declared types, member by member in the order of the request. */
import {
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { ServiceError } from '../base/errors.ts';
import { ExactNumber } from '../base/json.ts';
import { coerceScalar, mismatch } from '../schema/scalars.ts';
import { readValue } from './arguments.ts';

/** One variable that an operation declares. */
export interface DeclaredVariable {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** Undefined without a default value. */
  readonly fallback: unknown;
}

/** The declared variables; the definitions have passed validation. */
export function declareVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
): readonly DeclaredVariable[] {
  return definitions.map((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type) || name === '__proto__') {
      throw new ServiceError('validation-failed', `variable '${name}' cannot be declared`, { path: '$.query' });
    }
    const fallback = definition.defaultValue && readValue(definition.defaultValue, type, noVariables, 'all');
    return { name, type, fallback };
  });
}

const noVariables = { state: () => undefined, settle: () => undefined };

/**
 * The value of every variable that was given or has a default; others are left out, and what was not declared is
 * ignored. Throws a ServiceError with a path such as `$.variables.where.id._eq`.
 */
export function coerceVariables(
  declared: readonly DeclaredVariable[],
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const { name, type, fallback } of declared) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value !== undefined) {
      values[name] = coerceValue(type, value, `$.variables.${name}`);
    } else if (fallback !== undefined) {
      values[name] = fallback;
    } else if (isNonNullType(type)) {
      throw new ServiceError('validation-failed', `expecting a value for non-nullable variable: "${name}"`, {
        path: `$.variables.${name}`,
      });
    }
  }
  return values;
}

function coerceValue(type: GraphQLInputType, value: unknown, path: string): unknown {
  if (isNonNullType(type)) {
    if (value !== null) return coerceValue(type.ofType, value, path);
    throw new ServiceError('validation-failed', `unexpected null value for type '${type.ofType}'`, { path });
  }
  if (value === null) return null;
  if (isListType(type)) {
    // One value stands for a list of one.
    if (!Array.isArray(value)) return [coerceValue(type.ofType, value, path)];
    return value.map((item: unknown, index) => coerceValue(type.ofType, item, `${path}[${index}]`));
  }
  if (isInputObjectType(type)) {
    if (!isObject(value)) throw mismatch('an object', type.name, value).under(path);
    const fields = type.getFields();
    const members: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (field === undefined) throw missingField(name, type.name).under(`${path}.${name}`);
      members[name] = coerceValue(field.type, member, `${path}.${name}`);
    }
    for (const field of Object.values(fields)) {
      if (members[field.name] === undefined && isRequiredInputField(field)) {
        throw missingMember(field.name, type.name).under(path);
      }
    }
    return members;
  }
  if (isEnumType(type)) {
    const found = typeof value === 'string' ? type.getValue(value) : undefined;
    if (found == null) throw unknownMember(type.getValues(), type.name, value).under(path);
    return found.value;
  }
  try {
    return coerceScalar(type, value);
  } catch (error) {
    throw scalarError(error, type.name).under(path);
  }
}

/** The error for a member that an input object does not have; its path is `$`. */
export function missingField(name: string, type: string): ServiceError {
  return new ServiceError('validation-failed', `field '${name}' not found in type: '${type}'`);
}

/** The error for an input object without a member that it must have; its path is `$`. */
export function missingMember(name: string, type: string): ServiceError {
  return new ServiceError('validation-failed', `missing required field '${name}' of type: '${type}'`);
}

/** The scalars of remote schemas may throw errors of their own. */
export function scalarError(error: unknown, type: string): ServiceError {
  if (error instanceof ServiceError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new ServiceError('validation-failed', `not a value of type '${type}': ${reason}`, { cause: error });
}

/** The error for something that is no member of an enum; its path is `$`. */
export function unknownMember(
  members: readonly { readonly name: string }[],
  type: string,
  value: unknown,
): ServiceError {
  const names = members.map(({ name }) => `'${name}'`);
  const shown = names.length > 20 ? [...names.slice(0, 20), '...'] : names;
  const found = typeof value === 'string' ? `'${value.slice(0, 100)}'` : undefined;
  const expected = `one of the values [${shown.join(', ')}]`;
  if (found === undefined) return mismatch(expected, type, value);
  return new ServiceError('validation-failed', `expected ${expected} for type '${type}', but found ${found}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}
