/** `args: f_args` of functions: what a caller passes. */
import {
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLNonNull,
} from 'graphql';
import type { Routine, RoutineArgument } from '../../model/types/column-type.ts';
import { columnInput } from '../inputs/comparison.ts';
import type { TypeRegistry } from '../registry.ts';

/** Nothing for a function that takes nothing of its caller. Nulls may be passed; what has a default may be left out. */
export function functionArguments(
  registry: TypeRegistry,
  routine: Routine,
  description: string,
): GraphQLFieldConfigArgumentMap {
  const passed = callerArguments(routine);
  if (passed.length === 0) return {};
  const input = registry.named(routine.argumentsType, () => {
    const fields = inputFields(registry, passed);
    return new GraphQLInputObjectType({ name: routine.argumentsType, fields });
  });
  const optional = passed.every(({ hasDefault }) => hasDefault);
  return { args: { type: optional ? input : new GraphQLNonNull(input), description } };
}

/** The fields of `args` where a relationship passes the arguments `passed`: all others have defaults. */
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
  for (const { field, type } of list) fields[field] = columnInput(registry, type);
  return fields;
}
