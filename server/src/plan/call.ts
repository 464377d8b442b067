/** Root fields of actions: the input of the handler, and the fields selected of its response. */
import { getNamedType } from 'graphql';
import type { Action } from '../model/types/action.ts';
import type { PlanContext, SelectedField } from './context/context.ts';
import { inputPlan } from './document/arguments.ts';
import type { ActionResultMember, ActionResultPlan, CallPlan } from './plan/action.ts';
import { planOutput } from './select/select.ts';

/** Plans the root field `field`, which calls `action`. */
export function planCall(context: PlanContext, field: SelectedField, action: Action): CallPlan {
  const input = Object.entries(context.arguments(field)).map(([name, value]) => ({ name, value: inputPlan(value) }));
  return { action, input, output: planOutput(context, field, action.output) };
}

/** Plans the root field `field`, which reads the result of a run of `action`. */
export function planActionResult(context: PlanContext, field: SelectedField, action: Action): ActionResultPlan {
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
