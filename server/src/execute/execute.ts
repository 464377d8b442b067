/** Runs the plan of an operation and prints its answer. */
import { Cancellation } from '../base/cancellation.ts';
import { printJson } from '../base/json-value.ts';
import type { OperationPlan } from '../plan/plan/operation.ts';
import { runAction } from './action/action.ts';
import { readActionResult, submitAction } from './action/action-result.ts';
import type { ExecuteContext, ExecutionResult } from './context/context.ts';
import { withRowLimit } from './context/row-limit.ts';
import { finishRemote, JoinCollector } from './join/joins.ts';
import { afterChange } from './mutation/after-change.ts';
import { runMutations } from './mutation/mutation.ts';
import { groupRoots, type RemoteRoot, type RootGroup } from './query/root-groups.ts';
import { joinsFrom, runRows } from './query/rows.ts';
import { runRemoteFields } from './remote/remote.ts';
import { Flawed } from './response/field-errors.ts';
import { type Envelope, envelopeOf, printBody, voidBody } from './response/response.ts';

interface Prepared {
  readonly groups: readonly RootGroup[];
  readonly envelope: Envelope;
  /** May handlers be asked, and so be asked the same twice? */
  readonly asksHandlers: boolean;
}

/** What can be known of a plan before it runs; kept for as long as the plan is. */
const prepared = new WeakMap<OperationPlan, Prepared>();

/** What one group brought: the JSON texts of its members, and headers for the client. */
interface Brought {
  readonly texts: readonly string[];
  readonly headers?: ExecutionResult['headers'];
}

/**
 * The answer of the operation. The groups of a query run at once, those of a mutation in order. Throws a ServiceError
 * when a database or an action fails: what others came to is void, what a mutation has done before stays done. What
 * fails in a remote schema is null and has its error beside the data.
 */
export async function execute(plan: OperationPlan, outer: ExecuteContext): Promise<ExecutionResult> {
  const { groups, envelope, asksHandlers } = preparedOf(plan);
  const limited = withRowLimit(plan, outer);
  // A mutation may change what a handler answers; a query may not. Copying a context takes as long as a lookup's plan.
  const context = asksHandlers && plan.kind === 'query' ? { ...limited, calls: new Map() } : limited;
  const [only, second] = groups;
  const brought =
    only !== undefined && second === undefined
      ? [await runGroup(only, context)]
      : await (plan.kind === 'mutation' ? inOrder(groups, context) : atOnce(groups, context));
  const { failures } = context;
  const errors = failures?.list() ?? [];
  const headers = brought.flatMap(({ headers: own }) => own ?? []);
  if (failures?.isVoid) return { body: voidBody, errors, headers };
  const texts = [...envelope.texts];
  groups.forEach(({ at }, number) => {
    at.forEach((position, index) => {
      texts[position] = brought[number]?.texts[index];
    });
  });
  return { body: printBody(envelope, texts), errors, headers };
}

function preparedOf(plan: OperationPlan): Prepared {
  const known = prepared.get(plan);
  if (known !== undefined) return known;
  const groups = groupRoots(plan);
  const asksHandlers = groups.some((group) => group.kind !== 'database' || joinsFrom(group));
  const made = { groups, envelope: envelopeOf(plan), asksHandlers };
  prepared.set(plan, made);
  return made;
}

async function inOrder(groups: readonly RootGroup[], context: ExecuteContext): Promise<Brought[]> {
  const brought: Brought[] = [];
  for (const group of groups) {
    // Nobody would see what the rest comes to.
    if (context.failures?.isVoid) break;
    const run = (): Promise<Brought> => runGroup(group, context);
    brought.push(brought.length === 0 ? await run() : await afterChange(run));
  }
  return brought;
}

/** The first failure ends the others, because nobody will read what they bring. */
async function atOnce(groups: readonly RootGroup[], context: ExecuteContext): Promise<Brought[]> {
  const { cancellation, release } = (context.signal ?? new Cancellation()).child();
  try {
    return await Promise.all(groups.map((group) => runGroup(group, { ...context, signal: cancellation })));
  } catch (error) {
    cancellation.abort();
    throw error;
  } finally {
    release();
  }
}

async function runGroup(group: RootGroup, context: ExecuteContext): Promise<Brought> {
  switch (group.kind) {
    case 'database':
      return { texts: await runRows(group, context) };
    case 'mutation':
      return { texts: await runMutations(group, context) };
    case 'action': {
      const collector = new JoinCollector();
      const { value, headers } = await runAction(group.call, context, collector.add);
      const join = (): Promise<void> => collector.run(context);
      await (group.call.action.type === 'mutation' ? afterChange(join) : join());
      context.failures?.locate(value, group.path);
      return { texts: [printJson(value)], headers };
    }
    case 'submit':
      return { texts: [printJson(await submitAction(group.call, context))] };
    case 'actionResult': {
      const collector = new JoinCollector();
      const value = await readActionResult(group.result, context, collector.add);
      await collector.run(context);
      context.failures?.locate(value, group.path);
      return { texts: [printJson(value)] };
    }
    case 'remote': {
      const values = await runRemoteFields(group.fields, context);
      await finishRemote(
        group.fields.map(({ plan }, index) => [plan.members, values[index]]),
        context,
      );
      return { texts: group.fields.map((field, index) => remoteText(field, values[index], context)) };
    }
    default:
      return group satisfies never;
  }
}

/** What stands of a root field; its errors are noted. Without a place for errors the first is thrown. */
function remoteText({ path, plan }: RemoteRoot, value: unknown, { failures }: ExecuteContext): string {
  if (!(value instanceof Flawed)) {
    if (plan.members !== undefined) failures?.locate(value, path);
    return printJson(value);
  }
  if (failures === undefined) throw value.faults[0]?.error;
  failures.add(path, value.faults);
  failures.locate(value.value, path);
  if (value.value === null && !plan.nullable) failures.voidData();
  return printJson(value.value);
}
