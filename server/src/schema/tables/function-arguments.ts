/** The argument `args` of functions, of type `f_args`. */
import { type GraphQLFieldConfigArgumentMap, type GraphQLInputFieldConfigMap, GraphQLNonNull } from 'graphql';
import { argumentScalar } from '../../model/predicate/column-types.ts';
import type { Routine, RoutineArgument } from '../../model/types/column-type.ts';
import { takesColumnValue } from '../binding.ts';
import { columnInput } from '../inputs/comparison.ts';
import type { TypeRegistry } from '../registry.ts';

/** `args`, unless the caller passes no argument. All members are nullable; it is required if an argument has no default. */
export function functionArguments(
  registry: TypeRegistry,
  routine: Routine,
  description: string,
): GraphQLFieldConfigArgumentMap {
  const passed = callerArguments(routine);
  if (passed.length === 0) return {};
  const input = registry.input(routine.argumentsType, () => ({ fields: inputFields(registry, passed) }));
  const optional = passed.every(({ hasDefault }) => hasDefault);
  return { args: { type: optional ? input : new GraphQLNonNull(input), description } };
}

/** The members of `args` that remain where a relationship passes the arguments `passed`. */
export function openArgumentFields(
  registry: TypeRegistry,
  routine: Routine,
  passed: readonly string[],
): GraphQLInputFieldConfigMap {
  return inputFields(
    registry,
    callerArguments(routine).filter(({ field }) => !passed.includes(field)),
  );
}

function callerArguments(routine: Routine): readonly RoutineArgument[] {
  return routine.arguments.filter(({ from }) => from === 'caller');
}

function inputFields(registry: TypeRegistry, list: readonly RoutineArgument[]): GraphQLInputFieldConfigMap {
  const fields: GraphQLInputFieldConfigMap = {};
  for (const { field, type } of list) {
    fields[field] =
      type.element === undefined
        ? columnInput(registry, type)
        : { type: registry.scalar(argumentScalar(type)), extensions: takesColumnValue() };
  }
  return fields;
}
