/** How many rows a list may hold is known to the plan; statements are printed by the settings of its run. */
import type { OperationPlan } from '../../plan/plan/operation.ts';
import type { ExecuteContext } from './context.ts';

/** The context for the run of that plan. Every way to a statement of the plan has to go through it. */
export function withRowLimit<Context extends Pick<ExecuteContext, 'settings'>>(
  { maxRows }: OperationPlan,
  context: Context,
): Context {
  if (maxRows === undefined) return context;
  return { ...context, settings: { ...context.settings, maxRows } };
}
