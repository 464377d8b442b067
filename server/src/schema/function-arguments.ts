/** `args: f_args` of functions: what a caller passes. */
import {
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLNonNull,
} from 'graphql';
import type { Routine } from '../model/type-model.ts';
import { valueInput } from './comparison-inputs.ts';
import type { TypeRegistry } from './registry.ts';

/** Nothing for a function that takes nothing of its caller. Nulls may be passed; what has a default may be left out. */
export function functionArguments(
  registry: TypeRegistry,
  routine: Routine,
  description: string,
): GraphQLFieldConfigArgumentMap {
  const passed = routine.arguments.filter(({ from }) => from === 'caller');
  if (passed.length === 0) return {};
  const input = registry.named(routine.argumentsType, () => {
    const fields: GraphQLInputFieldConfigMap = {};
    for (const { field, type } of passed) fields[field] = { type: valueInput(registry, type) };
    return new GraphQLInputObjectType({ name: routine.argumentsType, fields });
  });
  const optional = passed.every(({ hasDefault }) => hasDefault);
  return { args: { type: optional ? input : new GraphQLNonNull(input), description } };
}
