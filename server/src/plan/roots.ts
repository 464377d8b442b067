/** Plans the root fields of an operation, in the order of the response. */
import { type GraphQLObjectType, getNamedType, type SelectionSetNode } from 'graphql';
import { ServiceError } from '../base/errors.ts';
import { RawJson } from '../base/json-value.ts';
import type { Action } from '../model/types/action.ts';
import type { PlanContext, SelectedField } from './context/context.ts';
import { inputPlan } from './document/arguments.ts';
import { type IntrospectionResults, introspect } from './introspection/introspection.ts';
import { planMutation } from './mutate/mutation.ts';
import type { ActionResultMember, ActionResultPlan, CallPlan } from './plan/action.ts';
import type { RootPlan } from './plan/operation.ts';
import { planNode } from './relay/node.ts';
import { planEntities, planService } from './select/entities.ts';
import { planFunctionCall } from './select/function-call.ts';
import {
  planAggregate,
  planByKey,
  planFields,
  planOutput,
  planPage,
  planRemoteField,
  planRows,
} from './select/select.ts';
import { planStream } from './select/stream.ts';

/** Maximum number of characters of introspection results in one operation, across all aliases. */
const MOST_INTROSPECTED = 5_000_000;

/** `root` is the schema's type for the kind of operation. `results`: see `introspect`. */
export function planRoots(
  context: PlanContext,
  root: GraphQLObjectType,
  selection: SelectionSetNode,
  results?: IntrospectionResults,
): readonly RootPlan[] {
  let introspected = 0;
  return context.collect(root, [selection], '$').flatMap((field) => {
    // A single introspection field is always allowed, whatever the size of the schema.
    if (introspected > MOST_INTROSPECTED) throw tooMuchIntrospection(field.path);
    if (field.binding?.kind === 'namespace') return planNamespace(context, field);
    const plan = planRoot(context, field, root.name, results);
    if (plan.kind === 'constant' && plan.value instanceof RawJson) introspected += plan.value.text.length;
    return [plan];
  });
}

/** Plans the fields of a namespace as roots, so that they are grouped with the other roots. */
function planNamespace(context: PlanContext, { alias, definition, selections, path }: SelectedField): RootPlan[] {
  const type = getNamedType(definition?.type);
  if (type === undefined) return [];
  const roots = context.collect(type, selections, path).map((field) => planRoot(context, field, type.name));
  return roots.length === 0
    ? [{ kind: 'constant', alias, value: {} }]
    : roots.map((one) => ({ ...one, namespace: alias }));
}

function tooMuchIntrospection(path: string): ServiceError {
  return new ServiceError(
    'validation-failed',
    'the operation selects too much introspection data; split it into several operations',
    {
      path,
    },
  );
}

function planRoot(
  context: PlanContext,
  field: SelectedField,
  typeName: string,
  results?: IntrospectionResults,
): RootPlan {
  const { alias, binding } = field;
  switch (binding?.kind) {
    case undefined:
      return { kind: 'constant', alias, value: field.definition ? introspect(context, field, results) : typeName };
    case 'constant':
      return { kind: 'constant', alias, value: binding.value };
    case 'service':
      return { kind: 'constant', alias, value: planService(context, field, binding.tables) };
    case 'entities':
      return { kind: 'entities', alias, entities: planEntities(context, field, binding.tables) };
    case 'root': {
      const { table, access } = binding;
      switch (binding.root) {
        case 'select':
          return { kind: 'rows', alias, rows: planRows(context, field, table, access), shape: 'list' };
        case 'select_by_pk':
          return { kind: 'rows', alias, rows: planByKey(context, field, table, access), shape: 'single' };
        case 'select_aggregate':
          return { kind: 'aggregate', alias, aggregate: planAggregate(context, field, table, access) };
        default:
          return binding.root satisfies never;
      }
    }
    case 'function': {
      const { function: called, access, result } = binding;
      const from = planFunctionCall(context, field, called.routine);
      if (result === 'aggregate') {
        const aggregate = planAggregate(context, field, called.table, access);
        return { kind: 'aggregate', alias, aggregate: { ...aggregate, rows: { ...aggregate.rows, from } } };
      }
      const rows = planRows(context, field, called.table, access);
      return { kind: 'rows', alias, rows: { ...rows, from }, shape: called.returnsSet ? 'list' : 'single' };
    }
    case 'node':
      return { kind: 'rows', alias, rows: planNode(context, field, binding, planFields), shape: 'single' };
    case 'connection': {
      const { table, access, function: called } = binding;
      const connection = planPage(context, field, table, access);
      if (called === undefined) return { kind: 'connection', alias, connection };
      const from = planFunctionCall(context, field, called.routine);
      return { kind: 'connection', alias, connection: { ...connection, rows: { ...connection.rows, from } } };
    }
    case 'stream':
      return { kind: 'stream', alias, stream: planStream(context, field, binding.table, binding.access) };
    case 'mutation':
      return { kind: 'mutation', alias, mutation: planMutation(context, field, binding.mutation, binding.table) };
    case 'action': {
      const call = planCall(context, field, binding.action);
      return { kind: binding.action.asynchronous ? 'submit' : 'action', alias, call };
    }
    case 'actionResult':
      return { kind: 'actionResult', alias, result: planActionResult(context, field, binding.action) };
    case 'remote':
      return {
        kind: 'remote',
        alias,
        forward: planRemoteField(context, field, binding.remote, binding.operation, binding.field),
      };
    default:
      throw new TypeError(`${field.path} is no root field`);
  }
}

/** Plans the root field `field`, which calls `action`. */
function planCall(context: PlanContext, field: SelectedField, action: Action): CallPlan {
  const input = Object.entries(context.arguments(field)).map(([name, value]) => ({ name, value: inputPlan(value) }));
  return { action, input, output: planOutput(context, field, action.output) };
}

/** Plans the root field `field`, which reads the result of a run of `action`. */
function planActionResult(context: PlanContext, field: SelectedField, action: Action): ActionResultPlan {
  const type = getNamedType(field.definition?.type);
  if (type === undefined) throw new TypeError(`${field.path} has no type`);
  const members = context.collect(type, field.selections, field.path).map((member): ActionResultMember => {
    const { alias, binding } = member;
    if (binding?.kind !== 'actionResultMember') return { kind: 'constant', alias, value: type.name };
    if (binding.member !== 'output') return { kind: binding.member, alias };
    return { kind: 'output', alias, output: planOutput(context, member, action.output) };
  });
  return { action, id: inputPlan(context.arguments(field).id), members };
}
