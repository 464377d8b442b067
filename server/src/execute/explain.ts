/** What an operation would do: its statements with PostgreSQL's plan, its calls, its upstream requests. Runs none of it. */
import { ServiceError } from '../base/errors.ts';
import type { OperationPlan } from '../plan/plan.ts';
import type { Statement } from '../postgres/sql.ts';
import type { ExecuteContext } from './context.ts';
import { groupRoots, type RootGroup } from './root-groups.ts';
import { rowsStatement } from './rows.ts';
import { runStatement } from './statement.ts';

/** `field` is the response key. Fields that share a statement repeat it. */
export type ExplainedField =
  | { readonly field: string; readonly sql: string; readonly plan: readonly string[] }
  | { readonly field: string; readonly action: string; readonly handler: string }
  | { readonly field: string; readonly remote_schema: string };

/** In the order of the answer; fields that are known without asking anybody are left out. */
export async function explainPlan(plan: OperationPlan, context: ExecuteContext): Promise<readonly ExplainedField[]> {
  const groups = groupRoots(plan);
  const explained = await Promise.all(groups.map((group) => explainGroup(group, plan, context)));
  return explained.flat();
}

async function explainGroup(
  group: RootGroup,
  plan: OperationPlan,
  context: ExecuteContext,
): Promise<readonly ExplainedField[]> {
  switch (group.kind) {
    case 'database': {
      const statement = rowsStatement(group, context.settings);
      const asked: Statement = { ...statement, text: `explain ${statement.text}` };
      const rows = await runStatement(asked, group.source, context);
      const lines = rows.map(([line]) => line ?? '');
      return group.roots.map(({ alias }) => ({ field: alias, sql: statement.text, plan: lines }));
    }
    case 'mutation':
      throw new ServiceError(
        'not-supported',
        'only queries can be explained; what a mutation runs depends on its data',
      );
    case 'action': {
      const field = plan.roots[group.at[0]]?.alias ?? '';
      return [{ field, action: group.call.action.name, handler: group.call.action.handler }];
    }
    case 'submit':
    case 'actionResult':
      return [];
    case 'remote':
      return group.fields.map(({ alias, plan }) => ({ field: alias, remote_schema: plan.remote.name }));
    default:
      return group satisfies never;
  }
}
