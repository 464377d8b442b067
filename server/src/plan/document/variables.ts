/** Coerces the variables of a request to their declared types, in the order of the request. */
import {
  type FragmentDefinitionNode,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLList,
  type GraphQLScalarType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { ExactNumber, isJsonObject, jsonPath } from '../../base/json-value.ts';
import { arrayText } from '../../model/predicate/encode.ts';
import { columnListsOf, isCountedInput, plannedNameOf } from '../../schema/binding.ts';
import { coerceScalar, mismatch } from '../../schema/scalars.ts';
import { readValue } from './arguments.ts';
import { type ColumnUse, itemUse, variableUses } from './column-values.ts';
import { defaultInputLimits, InputCount } from './input-limits.ts';

/** One variable that an operation declares. */
export interface DeclaredVariable {
  readonly name: string;
  /** The text of its type. */
  readonly type: string;
  /** Whether the operation uses it. */
  readonly used: boolean;
  /** Whether a value other than null must be given if there is no default. */
  readonly required: boolean;
  /** Undefined without a default value. */
  readonly fallback: unknown;
  readonly coerce: Coerce;
}

/** Coerces a JSON value to one type. Throws a ServiceError with the current path of `reading`. */
type Coerce = (value: unknown, reading: Reading) => unknown;

/** The current position in the variables of a request, and the count of their members. */
class Reading {
  readonly count: InputCount;
  /** Members and indexes from the root to the current value. */
  readonly #steps: (string | number)[] = [];

  constructor(count: InputCount) {
    this.count = count;
  }

  enter(step: string | number): void {
    this.#steps.push(step);
  }

  leave(): void {
    this.#steps.pop();
  }

  readonly path = (): string => {
    return jsonPath(this.#steps.map((step) => (typeof step === 'number' ? step : shortened(step))));
  };
}

/** Returns the variables declared by a valid operation. */
export function declareVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly DeclaredVariable[] {
  const definitions = operation.variableDefinitions ?? [];
  if (definitions.length === 0) return [];
  const uses = variableUses(schema, operation, fragments);
  return definitions.map((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type) || name === '__proto__') {
      throw new ServiceError('validation-failed', `variable '${name}' cannot be declared`, { path: '$.query' });
    }
    const use = uses.get(name);
    const fallback = definition.defaultValue && readValue(definition.defaultValue, type, noVariables, 'all', use);
    const required = isNonNullType(type);
    return { name, type: String(type), used: uses.has(name), required, fallback, coerce: coercion(type, use) };
  });
}

const noVariables = { state: () => undefined, settle: () => undefined };

/**
 * Returns the value of every variable that was given or has a default. As in Hasura v2, values of variables that the operation
 * does not use are rejected. Throws a ServiceError with a path such as `$.variables.where.id._eq`, or `input-limit-exceeded` beyond a limit.
 */
export function coerceVariables(
  declared: readonly DeclaredVariable[],
  given: Readonly<Record<string, unknown>>,
  count: InputCount = new InputCount(defaultInputLimits),
): Readonly<Record<string, unknown>> {
  const unknown = Object.keys(given).filter((name) => !declared.some((one) => one.used && one.name === name));
  if (unknown.length > 0) {
    const message = `unexpected variables in variableValues: ${unknown.slice(0, 20).map(shortened).join(', ')}`;
    throw new ServiceError('validation-failed', message, { path: '$.variables' });
  }
  const values: Record<string, unknown> = {};
  const reading = new Reading(count);
  reading.enter('variables');
  for (const { name, type, required, fallback, coerce } of declared) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value !== undefined) {
      if (value === null && required) {
        throw new ServiceError('validation-failed', `null value found for non-nullable type: "${type}"`, {
          path: `$.variables.${name}`,
        });
      }
      reading.enter(name);
      values[name] = coerce(value, reading);
      reading.leave();
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

const coercions = new WeakMap<GraphQLInputType, Map<ColumnUse, Coerce>>();

/** Built once for each type and use. Testing the kind of the type at each value took most of the time. */
function coercion(type: GraphQLInputType, use: ColumnUse): Coerce {
  const ofType = coercions.get(type) ?? new Map<ColumnUse, Coerce>();
  coercions.set(type, ofType);
  const known = ofType.get(use);
  if (known !== undefined) return known;
  const made = isNonNullType(type) ? nonNullCoercion(type.ofType, use) : nullableCoercion(type, use);
  ofType.set(use, made);
  return made;
}

function nonNullCoercion(type: GraphQLInputType, use: ColumnUse): Coerce {
  const inner = coercion(type, use);
  return (value, reading) => {
    if (value !== null) return inner(value, reading);
    throw unexpectedNull(String(type)).under(reading.path());
  };
}

/** Returns the error for null where the type is non-null, with the path `$`. */
export function unexpectedNull(type: string): ServiceError {
  return new ServiceError('validation-failed', `unexpected null value for type '${type}'`);
}

/** Returns the type of the items of a list. An array that is the value of a column may contain null. */
export function elementType({ ofType }: GraphQLList<GraphQLInputType>, use: ColumnUse): GraphQLInputType {
  return use === 0 ? getNullableType(ofType) : ofType;
}

function nullableCoercion(type: GraphQLInputType, use: ColumnUse): Coerce {
  const inner = isListType(type)
    ? intoList(elementType(type, use), use)
    : isInputObjectType(type)
      ? intoObject(type)
      : isEnumType(type)
        ? intoEnum(type)
        : use === 'digits'
          ? intoDigits(type)
          : intoScalar(type, use === 0);
  return (value, reading) => (value === null ? null : inner(value, reading));
}

/** Coerces a single value to a list of one. A string for an array column is the text form of an array. */
function intoList(type: GraphQLInputType, use: ColumnUse): Coerce {
  const item = coercion(type, itemUse(use));
  return (value, reading) => {
    if (Array.isArray(value)) {
      reading.count.addValues(value.length, reading.path);
      return value.map((one: unknown, index) => {
        reading.enter(index);
        const result = item(one, reading);
        reading.leave();
        return result;
      });
    }
    if (use === 'mixed' && typeof value === 'string') throw severalMeanings().under(reading.path());
    if (typeof value !== 'string' || use !== 0) return [item(value, reading)];
    try {
      return arrayText(value);
    } catch (error) {
      throw scalarError(error, 'array').under(reading.path());
    }
  };
}

function severalMeanings(): ServiceError {
  const message =
    'a string is an array for some of the inputs that take the variable, and one item for others; send a list';
  return new ServiceError('validation-failed', message);
}

interface Member {
  /** The name used by the planner. */
  readonly planned: string;
  readonly coerce: Coerce;
  readonly required: boolean;
}

function intoObject(type: GraphQLInputObjectType): Coerce {
  // Built on first use, since types may refer to themselves.
  let members: ReadonlyMap<string, Member> | undefined;
  const isCondition = isCountedInput(type);
  return (value, reading) => {
    members ??= new Map(
      Object.values(type.getFields()).map((field) => {
        const required = isRequiredInputField(field);
        return [
          field.name,
          { planned: plannedNameOf(field), coerce: coercion(field.type, columnListsOf(field)), required },
        ];
      }),
    );
    if (!isJsonObject(value)) throw mismatch('an object', type.name, value).under(reading.path());
    const result: Record<string, unknown> = {};
    const names = Object.keys(value);
    if (isCondition) reading.count.addPredicateMembers(Math.max(names.length, 1), reading.path);
    else reading.count.addValues(names.length, reading.path);
    for (const name of names) {
      const member = members.get(name);
      reading.enter(name);
      if (member === undefined) throw missingField(name, type.name).under(reading.path());
      result[member.planned] = member.coerce(value[name], reading);
      reading.leave();
    }
    for (const [name, { planned, required }] of members) {
      if (required && result[planned] === undefined) throw missingMember(name).under(reading.path());
    }
    return result;
  };
}

function intoEnum(type: GraphQLEnumType): Coerce {
  return (value, reading) => {
    const found = typeof value === 'string' ? type.getValue(value) : undefined;
    if (found == null) throw unknownMember(type.getValues(), type.name, value).under(reading.path());
    return found.value;
  };
}

function intoScalar(type: GraphQLScalarType, ofColumn: boolean): Coerce {
  return (value, reading) => {
    countWithin(value, reading);
    try {
      return coerceScalar(type, value, ofColumn);
    } catch (error) {
      throw scalarError(error, type.name).under(reading.path());
    }
  };
}

/** Coerces an Int that may be a string of digits, and may exceed 32 bits. */
function intoDigits(type: GraphQLScalarType): Coerce {
  const scalar = intoScalar(type, false);
  return (value, reading) => {
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
    return Number.isSafeInteger(number) ? number : scalar(value, reading);
  };
}

/** Counts the members and items of a JSON value that is one scalar, such as a jsonb. */
function countWithin(value: unknown, reading: Reading): void {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  reading.count.addValues(inner.length, reading.path);
  for (const one of inner) countWithin(one, reading);
}

/** Returns the error for an unknown field or member, with the path `$`. */
export function missingField(written: string, type: string): ServiceError {
  const name = shortened(written);
  return new ServiceError('validation-failed', `field '${name}' not found in type: '${type}'`, {
    missingField: { type, field: name },
  });
}

/** Returns the error for a missing argument, or a missing member of an input object, with its path below `$`. */
export function missingMember(name: string): ServiceError {
  return new ServiceError('validation-failed', `missing required field '${name}'`, { path: `$.${name}` });
}

/** Converts an error thrown by a scalar. Scalars of remote schemas may throw errors of any class. */
export function scalarError(error: unknown, type: string): ServiceError {
  if (error instanceof ServiceError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new ServiceError('validation-failed', `not a value of type '${type}': ${reason}`, { cause: error });
}

/** Returns the error for a value that the enum does not have, with the path `$`. */
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

const LONGEST_NAME = 100;

/** Returns the name for an error message, truncated if it is too long. */
function shortened(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}...`;
}
