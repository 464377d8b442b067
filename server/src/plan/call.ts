/** The plan of one action: what is sent to its handler, and what is wanted of the answer. */
import { getNamedType } from 'graphql';
import type { Action, ActionRelationship, OutputNamed, TypeRef } from '../model/action-model.ts';
import { planAggregate } from './aggregate.ts';
import { type ArgumentValue, type PlanContext, type SelectedField, VariableReference } from './context.ts';
import type { CallPlan, InputPlan, JoinPlan, JoinTarget, OutputFieldPlan, OutputPlan } from './plan.ts';
import { planRows } from './select.ts';

type Want = Extract<JoinTarget, { kind: 'table' }>['want'];

/** Plans the root field `field`, which stands for `action`. */
export function planCall(context: PlanContext, field: SelectedField, action: Action): CallPlan {
  const input = Object.entries(context.arguments(field)).map(([name, value]) => ({ name, value: inputPlan(value) }));
  return { action, input, output: outputPlan(context, field, action.output) };
}

/** What holds no variable is one constant. */
export function inputPlan(value: ArgumentValue): InputPlan {
  if (value instanceof VariableReference) return { kind: 'variable', name: value.name };
  if (!hasVariables(value)) return { kind: 'constant', value };
  if (Array.isArray(value)) return { kind: 'list', items: value.map(inputPlan) };
  const members = Object.entries(value as object).map(([name, member]) => ({ name, value: inputPlan(member) }));
  return { kind: 'object', members };
}

function hasVariables(value: ArgumentValue): boolean {
  if (value instanceof VariableReference) return true;
  if (Array.isArray(value)) return value.some(hasVariables);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasVariables);
}

function outputPlan(context: PlanContext, field: SelectedField, type: TypeRef<OutputNamed>): OutputPlan {
  if (field.definition === undefined || field.selections.length === 0) return { type, fields: undefined };
  const objectType = getNamedType(field.definition.type);
  const selected = context.collect(objectType, field.selections, field.path);
  return { type, fields: selected.map((member) => memberPlan(context, member, objectType.name)) };
}

function memberPlan(context: PlanContext, field: SelectedField, typeName: string): OutputFieldPlan {
  const { alias, binding } = field;
  switch (binding?.kind) {
    case undefined:
      return { kind: 'constant', alias, value: typeName };
    case 'outputField': {
      const { name, type } = binding.field;
      return { kind: 'field', alias, name, output: outputPlan(context, field, type) };
    }
    case 'actionRelationship': {
      const { relationship, access } = binding;
      const rows = planRows(context, field, relationship.table, access);
      return { kind: 'join', alias, join: joinPlan(relationship, { shape: relationship.kind, rows }) };
    }
    case 'actionRelationshipAggregate': {
      const { relationship, access } = binding;
      const aggregate = planAggregate(context, field, relationship.table, access);
      return { kind: 'join', alias, join: joinPlan(relationship, { shape: 'aggregate', aggregate }) };
    }
    default:
      throw new TypeError(`${field.path} is no member of the answer of an action`);
  }
}

/** Keys are read from the handler's answer as it came, so that it does not matter what was selected or how it was named. */
function joinPlan({ table, mapping }: ActionRelationship, want: Want): JoinPlan {
  return {
    keys: mapping.map(({ from, to }) => ({ name: from.name, type: to.type })),
    target: { kind: 'table', source: table.source, match: mapping.map(({ to }) => to), want },
  };
}
