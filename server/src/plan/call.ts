/** The plan of one action: what is sent to its handler, and what is wanted of the answer. */
import { type GraphQLNamedType, getNamedType } from 'graphql';
import { namedIn } from '../model/actions/type-expression.ts';
import type { Action, OutputNamed, TypeRef } from '../model/types/action.ts';
import type { JoinKey } from '../model/types/table.ts';
import { type ArgumentValue, type PlanContext, type SelectedField, VariableReference } from './context/context.ts';
import type { ActionResultMember, ActionResultPlan, CallPlan } from './plan/action.ts';
import type { InputPlan } from './plan/input.ts';
import type { OutputFieldPlan, OutputPlan } from './plan/query.ts';

/** Plans the root field `field`, which stands for `action`. */
export function planCall(context: PlanContext, field: SelectedField, action: Action): CallPlan {
  const input = Object.entries(context.arguments(field)).map(([name, value]) => ({ name, value: inputPlan(value) }));
  return { action, input, output: outputPlan(context, field, action.output) };
}

/** Plans the root field `field`, which reads what came of a run of `action`. */
export function planActionResult(context: PlanContext, field: SelectedField, action: Action): ActionResultPlan {
  const type = getNamedType(field.definition?.type);
  if (type === undefined) throw new TypeError(`${field.path} has no type`);
  const members = context.collect(type, field.selections, field.path).map((member): ActionResultMember => {
    const { alias, binding } = member;
    if (binding?.kind !== 'actionResultMember') return { kind: 'constant', alias, value: type.name };
    if (binding.member !== 'output') return { kind: binding.member, alias };
    return { kind: 'output', alias, output: outputPlan(context, member, action.output) };
  });
  return { action, id: inputPlan(context.arguments(field).id), members };
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

/** What `field` wants of a value of `type`. */
export function outputPlan(context: PlanContext, field: SelectedField, type: TypeRef<OutputNamed>): OutputPlan {
  if (field.definition === undefined || field.selections.length === 0) return { type, fields: undefined };
  const named = namedIn(type);
  if (named.kind !== 'abstract') {
    return { type, fields: fieldPlans(context, field, getNamedType(field.definition.type)) };
  }
  const members = named.members.map((object) => {
    const objectType = context.schema.getType(object.name);
    return { object, fields: objectType === undefined ? [] : fieldPlans(context, field, objectType) };
  });
  return { type, fields: undefined, members };
}

function fieldPlans(context: PlanContext, field: SelectedField, type: GraphQLNamedType): readonly OutputFieldPlan[] {
  const selected = context.collect(type, field.selections, field.path);
  return selected.map((member) => memberPlan(context, member, type.name));
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
    // Keys are read from the handler's answer as it came: it does not matter what was selected or how it was named.
    case 'join':
    case 'joinAggregate':
      return { kind: 'join', alias, join: context.parts.join(context, field, binding.join, binding.access, nameOfKey) };
    default:
      throw new TypeError(`${field.path} is no member of the answer of an action`);
  }
}

function nameOfKey({ name }: JoinKey): string {
  return name;
}
