/** Calls of functions, with arguments given by the caller and arguments supplied by the service. */
import { ServiceError } from '../../base/errors.ts';
import { encode } from '../../model/predicate/encode.ts';
import type { Routine, RoutineArgument } from '../../model/types/column-type.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import { type ArgumentValue, VariableReference } from '../document/arguments.ts';
import type { CallArgument, FunctionCall } from '../plan/query.ts';

/** Plans the function call of `field` with its argument `args`. */
export function planFunctionCall(context: PlanContext, field: SelectedField, routine: Routine): FunctionCall {
  return callOf(routine, givenTo(context, field), context, pathOf(field));
}

/** Plans the call of a function without arguments from the caller. */
export function bareCall(routine: Routine): FunctionCall {
  return callOf(routine, {}, undefined, '$');
}

/**
 * Plans the call for each key of a join. `passed` names the argument for each part of the key. Other arguments may be
 * given by `field`.
 */
export function keyedCall(
  context: PlanContext,
  field: SelectedField,
  routine: Routine,
  passed: readonly string[],
): FunctionCall {
  const keys = passed.map((name, index) => [name, new KeyPart(index)] as const);
  return callOf(routine, { ...givenTo(context, field), ...Object.fromEntries(keys) }, context, pathOf(field));
}

function givenTo(context: PlanContext, field: SelectedField): Readonly<Record<string, ArgumentValue>> {
  const { args } = context.arguments(field);
  const given = args instanceof VariableReference ? context.settle(args) : args;
  return (given ?? {}) as Readonly<Record<string, ArgumentValue>>;
}

function pathOf(field: SelectedField): string {
  return `${field.path}.args.args`;
}

/** A placeholder for a part of a join key. */
class KeyPart {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

/**
 * Passes arguments by position, and those after an omitted argument by name. `path` is the path of the caller's
 * arguments.
 */
function callOf(
  routine: Routine,
  given: Readonly<Record<string, ArgumentValue>>,
  context: PlanContext | undefined,
  path: string,
): FunctionCall {
  const passed: CallArgument[] = [];
  let leftOut: RoutineArgument | undefined;
  for (const argument of routine.arguments) {
    const { field, from, name, type } = argument;
    const value = given[field];
    if (from === 'caller' && value === undefined) {
      if (!argument.hasDefault) throw omitted(path, 'Non default arguments cannot be omitted', field);
      leftOut ??= argument;
      continue;
    }
    if (leftOut !== undefined && name === '')
      throw omitted(path, 'Only last set of positional arguments can be omitted', leftOut.field);
    passed.push({
      name: leftOut === undefined ? undefined : name,
      type,
      value:
        from === 'caller'
          ? operandOf(argument, value, context, `${path}.${field}`)
          : { kind: from === 'row' ? 'row' : 'allSessionVariables' },
    });
  }
  const call = { schema: routine.schema, name: routine.name, arguments: passed };
  return routine.isVolatile ? { ...call, isVolatile: true } : call;
}

function omitted(path: string, message: string, field: string): ServiceError {
  return new ServiceError('not-supported', `${message}; give "${field}"`, { path });
}

function operandOf(
  { type }: RoutineArgument,
  given: ArgumentValue,
  context: PlanContext | undefined,
  path: string,
): CallArgument['value'] {
  if (given instanceof KeyPart) return { kind: 'key', index: given.index };
  if (given instanceof VariableReference) return { kind: 'variable', name: given.name };
  const value = context === undefined ? given : context.settle(given);
  try {
    encode(type, value);
  } catch (error) {
    throw error instanceof ServiceError ? error.under(path) : error;
  }
  return { kind: 'constant', value };
}
