/** The SQL of native queries with the values of their arguments. */
import { ServiceError } from '../../base/errors.ts';
import { encode } from '../../model/predicate/encode.ts';
import type { NativeArgument, NativeSql } from '../../model/types/table.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import { type ArgumentValue, VariableReference } from '../document/arguments.ts';
import type { NativeCall } from '../plan/query.ts';

/** Plans the SQL that returns the rows of `field`, with its argument `args`. An absent argument is null. */
export function planNativeCall(context: PlanContext, field: SelectedField, native: NativeSql): NativeCall {
  const given = native.arguments.length === 0 ? {} : argumentsOf(context, field);
  const path = `${field.path}.args.args`;
  return {
    kind: 'native',
    parts: native.parts.map((part) =>
      typeof part === 'string'
        ? part
        : { type: part.type, value: operandOf(part, given[part.name], context, `${path}.${part.name}`) },
    ),
  };
}

function argumentsOf(context: PlanContext, field: SelectedField): Readonly<Record<string, ArgumentValue>> {
  const { args } = context.arguments(field);
  const given = args instanceof VariableReference ? context.settle(args) : args;
  return (given ?? {}) as Readonly<Record<string, ArgumentValue>>;
}

function operandOf(
  { type }: NativeArgument,
  given: ArgumentValue | undefined,
  context: PlanContext,
  path: string,
): Exclude<NativeCall['parts'][number], string>['value'] {
  if (given instanceof VariableReference) return { kind: 'variable', name: given.name };
  const value = given === undefined ? null : context.settle(given);
  try {
    encode(type, value);
  } catch (error) {
    throw error instanceof ServiceError ? error.under(path) : error;
  }
  return { kind: 'constant', value };
}
