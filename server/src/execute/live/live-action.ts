/** The target of a subscription to the result of an asynchronous action, which polls its entry in the log. */
import { printJson } from '../../base/json-value.ts';
import type { OperationPlan } from '../../plan/plan/operation.ts';
import { readEntries } from '../action/action-log.ts';
import { actionResult, idOf } from '../action/action-result.ts';
import type { ExecuteContext } from '../context/context.ts';
import { withRowLimit } from '../context/row-limit.ts';
import { withinSpan } from '../context/traced.ts';
import { JoinCollector } from '../join/joins.ts';
import { Failures } from '../response/field-errors.ts';
import { envelopeOf, pathOfRoot, printBody, responsePathOf } from '../response/response.ts';
import type { LiveTarget } from './live-target.ts';

/** Returns the target, if the subscription is one to the result of an action. */
export function liveActionTarget(plan: OperationPlan, outer: ExecuteContext): LiveTarget | undefined {
  const context = withRowLimit(plan, outer);
  const [root] = plan.roots;
  if (root?.kind !== 'actionResult') return undefined;
  const envelope = envelopeOf(plan);
  return {
    kind: 'live',
    source: undefined,
    text: readEntries.text,
    values: [idOf(root.result, context), root.result.action.name],
    slots: [],
    tables: ['"joinery"."action_log"'],
    isRepeatable: true,
    known: null,
    path: pathOfRoot(root),
    body: async (entry, signal, span) => {
      const failures = new Failures();
      const within = withinSpan({ ...context, signal, failures }, span);
      const collector = new JoinCollector();
      const value = actionResult(root.result, entry, within, collector.add);
      await collector.run(within);
      failures.locate(value, responsePathOf(root));
      return { body: printBody(envelope, [printJson(value)]), errors: failures.list() };
    },
  };
}
