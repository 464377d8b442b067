/** The maximum number of rows of a list: part of the plan, and passed to printing by the settings. */
import type { OperationPlan } from '../../plan/plan/operation.ts';
import type { ExecuteContext } from './context.ts';

/** Returns the context for the execution of the plan. Required before any statement of the plan is printed. */
export function withRowLimit<Context extends Pick<ExecuteContext, 'settings'>>(
  { maxRows }: OperationPlan,
  context: Context,
): Context {
  if (maxRows === undefined) return context;
  return { ...context, settings: { ...context.settings, maxRows } };
}
