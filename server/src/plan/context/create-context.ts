/** The PlanContext of one operation and one set of variables. It records the variables that the plan depends on. */

import type { RoleName } from '@joinery/metadata/names';
import type { FragmentDefinitionNode, GraphQLSchema, VariableDefinitionNode } from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { canTakeDigits, columnListsOf, isReadWhenRun, plannedNameOf } from '../../schema/binding.ts';
import { type ArgumentValue, readValue, VariableReference, type VariableSource } from '../document/arguments.ts';
import type { InputCount } from '../document/input-limits.ts';
import { collectFields, type Selecting } from './collect.ts';
import type { PlanContext, SelectedField } from './context.ts';
import { forwardSelections } from './forward.ts';

/** Maximum number of fields of one operation, with fragments inlined. Nested fragments can grow exponentially. */
const MOST_FIELDS = 20_000;

export interface ContextInput {
  readonly schema: GraphQLSchema;
  readonly role: RoleName;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variableDefinitions: ReadonlyMap<string, VariableDefinitionNode>;
  /** After coercion. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly count: InputCount;
}

export interface NotingContext {
  readonly context: PlanContext;
  /** The variables whose values the plan depends on. Grows during planning. */
  readonly settled: ReadonlySet<string>;
}

export function createContext(input: ContextInput): NotingContext {
  const settled = new Set<string>();
  const variables: VariableSource = {
    state: (name) => {
      const value = input.variables[name];
      return value === undefined || value === null ? value : 'given';
    },
    settle: (name) => {
      settled.add(name);
      return input.variables[name];
    },
  };
  const selecting: Selecting = {
    schema: input.schema,
    fragments: input.fragments,
    variables,
    count: countUpTo(MOST_FIELDS),
  };
  const context: PlanContext = {
    schema: input.schema,
    role: input.role,
    count: input.count,
    variableDefinitions: input.variableDefinitions,
    collect: (type, selections, path) => collectFields(selecting, type, selections, path),
    read: (node, type) => readValue(node, type, variables, 'scalars'),
    settle: (value) => settle(value, variables),
    isNegative: ({ name }) => isBelowZero(input.variables[name]),
    arguments: (field) => readArguments(field, variables),
    forward: (selections, args) => forwardSelections(selecting, input.variableDefinitions, selections, args),
  };
  return { context, settled };
}

function countUpTo(most: number): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count <= most) return;
    throw new ServiceError(
      'validation-failed',
      `the operation selects more than ${most} fields; request fewer fields at once`,
    );
  };
}

/** Whether the value is a negative number. Every plan depends on this, since a limit must not be negative. */
export function isBelowZero(value: unknown): boolean {
  return typeof value === 'number' && value < 0;
}

function settle(value: ArgumentValue, variables: VariableSource): unknown {
  if (value instanceof VariableReference) return variables.settle(value.name);
  if (Array.isArray(value)) return value.map((item) => settle(item, variables));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, settle(member, variables)]));
}

function readArguments(field: SelectedField, variables: VariableSource): Readonly<Record<string, ArgumentValue>> {
  const values: Record<string, ArgumentValue> = {};
  const keep = field.binding?.kind === 'action' ? 'all' : 'scalars';
  for (const definition of field.definition?.args ?? []) {
    const node = field.arguments.find((argument) => argument.name.value === definition.name)?.value;
    if (node === undefined) continue;
    const digits = (node.kind === 'StringValue' || node.kind === 'IntValue') && canTakeDigits(definition);
    const positions = isReadWhenRun(definition) ? 'all' : keep;
    const value = digits
      ? Number(node.value)
      : readValue(node, definition.type, variables, positions, columnListsOf(definition));
    if (value !== undefined) values[plannedNameOf(definition)] = value;
  }
  return values;
}
