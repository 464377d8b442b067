/** The input of handlers: the given arguments with defaults, checked against their types. */
import { ServiceError } from '../../../base/errors.ts';
import { ExactNumber, setMember } from '../../../base/json-value.ts';
import { builtInTypes } from '../../../model/predicate/column-types.ts';
import { encode } from '../../../model/predicate/encode.ts';
import type { Action, InputNamed, TypeRef } from '../../../model/types/action.ts';
import type { ColumnType } from '../../../model/types/column-type.ts';
import type { CallPlan } from '../../../plan/plan/action.ts';
import type { InputPlan } from '../../../plan/plan/input.ts';

type Variables = Readonly<Record<string, unknown>>;

/**
 * Returns the arguments of `call` by name, without those that were not given. Throws `parse-failed` for a value that is
 * invalid for PostgreSQL.
 */
export function handlerInput(call: CallPlan, variables: Variables): Readonly<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  for (const { name, value } of call.input) {
    const given = readInput(value, variables);
    if (given !== undefined) input[name] = given;
  }
  for (const argument of call.action.arguments) {
    const { name } = argument;
    const value = checkedArgument(call.action, argument, input[name]);
    if (value !== undefined) input[name] = value;
  }
  return input;
}

/** Returns the value of an argument with defaults; undefined without both. Throws as `handlerInput` does. */
export function checkedArgument(
  { name: action }: Pick<Action, 'name'>,
  { name, type, defaultValue }: Action['arguments'][number],
  given: unknown,
): unknown {
  const value = withDefaults(type, given === undefined ? defaultValue : given);
  if (value !== undefined) checkScalars(type, value, `$.selectionSet.${action}.args.${name}`);
  return value;
}

/** Whether `checkedArgument` returns every given value of the type as it is. */
export function isUnchecked(type: TypeRef<InputNamed>): boolean {
  if (type.kind !== 'named') return isUnchecked(type.of);
  const named = type.type;
  if (named.kind === 'input') return false;
  return named.kind !== 'scalar' || named.origin !== 'postgres' || !isCheckedScalar(named.name);
}

/** Adds the defaults of fields that were not given, at any depth. */
function withDefaults(type: TypeRef<InputNamed>, value: unknown): unknown {
  if (value === null || value === undefined || value instanceof ExactNumber) return value;
  if (type.kind === 'nonNull') return withDefaults(type.of, value);
  if (type.kind === 'list') {
    // A single value is coerced to a list of one.
    return Array.isArray(value)
      ? value.map((item: unknown) => withDefaults(type.of, item))
      : withDefaults(type.of, value);
  }
  if (type.type.kind !== 'input' || typeof value !== 'object') return value;
  const given = value as Readonly<Record<string, unknown>>;
  const defaults = [...type.type.fields.values()].flatMap((field): [string, unknown][] => {
    const member = withDefaults(field.type, given[field.name]);
    const filled = member === undefined ? field.defaultValue : member;
    return filled === undefined ? [] : [[field.name, filled]];
  });
  return { ...given, ...Object.fromEntries(defaults) };
}

/** Replaces the variables of a value; undefined for a variable that was not given. */
export function readInput(plan: InputPlan, variables: Variables): unknown {
  switch (plan.kind) {
    case 'constant':
      return plan.value;
    case 'variable':
      return variables[plan.name];
    case 'list':
      return plan.items.map((item) => readInput(item, variables) ?? null);
    case 'object': {
      const object: Record<string, unknown> = {};
      for (const { name, value } of plan.members) {
        const given = readInput(value, variables);
        if (given !== undefined) setMember(object, name, given);
      }
      return object;
    }
    default:
      return plan satisfies never;
  }
}

const uuid = /^\{?[0-9a-f]{4}(?:-?[0-9a-f]{4}){7}\}?$/i;

/** Postgres scalars in strings. They are not part of a statement, so of most only the JSON type is checked here. */
const written: ReadonlySet<string> = new Set([
  ...['uuid', 'date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval'],
  ...['inet', 'cidr', 'macaddr', 'macaddr8', 'bytea', 'bpchar', 'citext'],
]);

function numberType(scalar: string): ColumnType | undefined {
  const type = builtInTypes.get(scalar);
  return type?.family === 'number' ? type : undefined;
}

function isCheckedScalar(name: string): boolean {
  return written.has(name) || numberType(name) !== undefined;
}

/** Whether the value may be one of the Postgres scalar; true for a scalar that is not checked. */
function fits(scalar: string, value: unknown): boolean {
  if (written.has(scalar)) return typeof value === 'string' && (scalar !== 'uuid' || uuid.test(value));
  const number = numberType(scalar);
  if (number === undefined) return true;
  try {
    encode(number, value);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function checkScalars(type: TypeRef<InputNamed>, value: unknown, path: string): void {
  if (value === null || value === undefined) return;
  if (type.kind === 'nonNull') {
    checkScalars(type.of, value, path);
    return;
  }
  if (type.kind === 'list') {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const [index, item] of items.entries()) checkScalars(type.of, item, `${path}[${index}]`);
    return;
  }
  const named = type.type;
  if (named.kind === 'input') {
    for (const field of named.fields.values()) {
      checkScalars(field.type, (value as Readonly<Record<string, unknown>>)[field.name], `${path}.${field.name}`);
    }
    return;
  }
  if (named.kind !== 'scalar' || named.origin !== 'postgres' || fits(named.name, value)) return;
  const found = value instanceof ExactNumber ? value.text : JSON.stringify(value)?.slice(0, 60);
  throw new ServiceError('parse-failed', `expected a value of type ${named.name}, found ${found}`, { path });
}
