/** The variables of a request: checked against their declared types, member by member in the order of the request. */
import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
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
import { plannedNameOf } from '../schema/binding.ts';
import { coerceScalar, mismatch } from '../schema/scalars.ts';
import { readValue } from './arguments.ts';

/** One variable that an operation declares. */
export interface DeclaredVariable {
  readonly name: string;
  /** Must it be given, and not as null? Unless it has a default. */
  readonly required: boolean;
  /** Undefined without a default value. */
  readonly fallback: unknown;
  readonly coerce: Coerce;
}

/** A JSON value as a value of one type. Throws a ServiceError under `path`. */
type Coerce = (value: unknown, path: string) => unknown;

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
    return { name, required: isNonNullType(type), fallback, coerce: coercion(type) };
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
  for (const { name, required, fallback, coerce } of declared) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value !== undefined) {
      values[name] = coerce(value, `$.variables.${name}`);
    } else if (fallback !== undefined) {
      values[name] = fallback;
    } else if (required) {
      throw new ServiceError('validation-failed', `expecting a value for non-nullable variable: "${name}"`, {
        path: `$.variables.${name}`,
      });
    }
  }
  return values;
}

const coercions = new WeakMap<GraphQLInputType, Coerce>();

/** Made once for each type: asking graphql-js at each value what kind of type it has took most of the time. */
function coercion(type: GraphQLInputType): Coerce {
  const known = coercions.get(type);
  if (known !== undefined) return known;
  const made = isNonNullType(type) ? refusingNull(type.ofType) : allowingNull(type);
  coercions.set(type, made);
  return made;
}

function refusingNull(type: GraphQLInputType): Coerce {
  const inner = coercion(type);
  return (value, path) => {
    if (value !== null) return inner(value, path);
    throw new ServiceError('validation-failed', `unexpected null value for type '${type}'`, { path });
  };
}

function allowingNull(type: GraphQLInputType): Coerce {
  const inner = isListType(type)
    ? intoList(type.ofType)
    : isInputObjectType(type)
      ? intoObject(type)
      : isEnumType(type)
        ? intoEnum(type)
        : intoScalar(type);
  return (value, path) => (value === null ? null : inner(value, path));
}

/** One value stands for a list of one. */
function intoList(type: GraphQLInputType): Coerce {
  const item = coercion(type);
  return (value, path) =>
    Array.isArray(value) ? value.map((one: unknown, index) => item(one, `${path}[${index}]`)) : [item(value, path)];
}

interface Member {
  /** What the planner calls it. */
  readonly planned: string;
  readonly coerce: Coerce;
  readonly required: boolean;
}

function intoObject(type: GraphQLInputObjectType): Coerce {
  // Made late, as types may refer to themselves.
  let members: ReadonlyMap<string, Member> | undefined;
  return (value, path) => {
    members ??= new Map(
      Object.values(type.getFields()).map((field) => {
        const required = isRequiredInputField(field);
        return [field.name, { planned: plannedNameOf(field), coerce: coercion(field.type), required }];
      }),
    );
    if (!isObject(value)) throw mismatch('an object', type.name, value).under(path);
    const result: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const member = members.get(name);
      if (member === undefined) throw missingField(name, type.name).under(`${path}.${name}`);
      result[member.planned] = member.coerce(value[name], `${path}.${name}`);
    }
    for (const [name, { planned, required }] of members) {
      if (required && result[planned] === undefined) throw missingMember(name, type.name).under(path);
    }
    return result;
  };
}

function intoEnum(type: GraphQLEnumType): Coerce {
  return (value, path) => {
    const found = typeof value === 'string' ? type.getValue(value) : undefined;
    if (found == null) throw unknownMember(type.getValues(), type.name, value).under(path);
    return found.value;
  };
}

function intoScalar(type: GraphQLScalarType): Coerce {
  return (value, path) => {
    try {
      return coerceScalar(type, value);
    } catch (error) {
      throw scalarError(error, type.name).under(path);
    }
  };
}

/** The error for a field or member that a type does not have; its path is `$`. */
export function missingField(name: string, type: string): ServiceError {
  return new ServiceError('validation-failed', `field '${name}' not found in type: '${type}'`, {
    absent: { type, field: name },
  });
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
