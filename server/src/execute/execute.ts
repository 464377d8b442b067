/** Executes the plan of an operation and prints its response. */
import { Cancellation } from '../base/cancellation.ts';
import { printJson } from '../base/json-value.ts';
import type { OperationPlan } from '../plan/plan/operation.ts';
import { runAction } from './action/action.ts';
import { readActionResult, submitAction } from './action/action-result.ts';
import type { ExecuteContext, ExecutionResult } from './context/context.ts';
import { withRowLimit } from './context/row-limit.ts';
import { finishRemote, JoinCollector } from './join/joins.ts';
import { afterChange } from './mutation/after-change.ts';
import { joinsFromWritten, runMutations } from './mutation/mutation.ts';
import { runEntities } from './query/entities.ts';
import { groupRoots, type RemoteRoot, type RootGroup } from './query/root-groups.ts';
import { joinsFrom, runRows } from './query/rows.ts';
import { runRemoteFields } from './remote/remote.ts';
import { PartialResult } from './response/field-errors.ts';
import { type Envelope, envelopeOf, printBody, voidBody } from './response/response.ts';

interface Prepared {
  readonly groups: readonly RootGroup[];
  readonly envelope: Envelope;
  /** Whether handlers of actions can be called, and so might be called twice with the same input. */
  readonly callsHandlers: boolean;
}

/** Derived data of a plan, cached for the lifetime of the plan. */
const prepared = new WeakMap<OperationPlan, Prepared>();

/** The result of one group: the JSON texts of its members, and headers for the client. */
interface GroupResult {
  readonly texts: readonly string[];
  readonly headers?: ExecutionResult['headers'];
}

const noHeaders: ExecutionResult['headers'] = [];

/**
 * Returns the response of the operation. The groups of a query run concurrently, those of a mutation in order. Throws a
 * ServiceError if a database or an action fails; earlier changes of a mutation remain. A failed field of a remote schema
 * is null and has an entry in `errors`.
 */
export async function execute(plan: OperationPlan, outer: ExecuteContext): Promise<ExecutionResult> {
  const { groups, envelope, callsHandlers } = preparedOf(plan);
  const limited = withRowLimit(plan, outer);
  const cookies: string[] = [];
  // Only calls of queries are deduplicated. The context is copied only if needed, because copying it is expensive.
  const context = callsHandlers
    ? { ...limited, cookies, calls: plan.kind === 'query' ? new Map() : undefined }
    : limited;
  const [only, second] = groups;
  const results =
    only !== undefined && second === undefined
      ? [await runGroup(only, context)]
      : await (plan.kind === 'mutation' ? inOrder(groups, context) : atOnce(groups, context));
  const { failures } = context;
  const errors = failures?.list() ?? [];
  const headers = callsHandlers
    ? [...results.flatMap(({ headers: own }) => own ?? []), ...cookies.map((cookie) => ['set-cookie', cookie] as const)]
    : noHeaders;
  if (failures?.isVoid) return { body: voidBody, errors, headers };
  const texts = [...envelope.texts];
  groups.forEach(({ at }, number) => {
    at.forEach((position, index) => {
      texts[position] = results[number]?.texts[index];
    });
  });
  return { body: printBody(envelope, texts), errors, headers };
}

function preparedOf(plan: OperationPlan): Prepared {
  const known = prepared.get(plan);
  if (known !== undefined) return known;
  const groups = groupRoots(plan);
  const callsHandlers = groups.some(mayCallHandlers);
  const made = { groups, envelope: envelopeOf(plan), callsHandlers };
  prepared.set(plan, made);
  return made;
}

function mayCallHandlers(group: RootGroup): boolean {
  if (group.kind === 'database') return joinsFrom(group);
  return group.kind === 'mutation' ? joinsFromWritten(group) : true;
}

async function inOrder(groups: readonly RootGroup[], context: ExecuteContext): Promise<GroupResult[]> {
  const results: GroupResult[] = [];
  for (const group of groups) {
    // The results of further groups would not be returned.
    if (context.failures?.isVoid) break;
    const run = (): Promise<GroupResult> => runGroup(group, context);
    results.push(results.length === 0 ? await run() : await afterChange(run));
  }
  return results;
}

/** Runs the groups concurrently. The first error cancels the others. */
async function atOnce(groups: readonly RootGroup[], context: ExecuteContext): Promise<GroupResult[]> {
  const { cancellation, release } = (context.signal ?? new Cancellation()).child();
  try {
    const shared = { ...context, signal: cancellation };
    return await Promise.all(groups.map((group) => runGroup(group, shared)));
  } catch (error) {
    cancellation.abort();
    throw error;
  } finally {
    release();
  }
}

async function runGroup(group: RootGroup, context: ExecuteContext): Promise<GroupResult> {
  switch (group.kind) {
    case 'database':
      return { texts: await runRows(group, context) };
    case 'mutation':
      return { texts: await runMutations(group, context) };
    case 'action': {
      const collector = new JoinCollector();
      const { output, headers } = await runAction(group.call, context, collector);
      const join = (): Promise<void> => collector.run(context);
      // The handler may have changed any table.
      if (group.call.action.type === 'mutation') context.changes?.report(undefined);
      await (group.call.action.type === 'mutation' ? afterChange(join) : join());
      const value = output.value();
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
    case 'entities': {
      const value = await runEntities(group.entities, context);
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

/** Returns the JSON of a root field and records its errors. Throws the first error if errors cannot be recorded. */
function remoteText({ path, plan }: RemoteRoot, value: unknown, { failures }: ExecuteContext): string {
  if (!(value instanceof PartialResult)) {
    if (plan.members !== undefined) failures?.locate(value, path);
    return printJson(value);
  }
  if (failures === undefined) throw value.errors[0]?.error;
  failures.add(path, value.errors);
  failures.locate(value.value, path);
  if (value.value === null && !plan.nullable) failures.voidData();
  return printJson(value.value);
}
