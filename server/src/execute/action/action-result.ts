/** Asynchronous actions as clients see them: asked for, they answer with an id; what came of them is read by it. */

import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { Session } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import type { ActionResultMember, ActionResultPlan, CallPlan } from '../../plan/plan/action.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import type { ExecuteContext } from '../context/context.ts';
import { type EntryRead, readEntriesText, submitEntry } from './action-log.ts';
import { checkOutput, type OnJoin, WrongAnswer } from './check-output.ts';
import { forwardable } from './handler-headers.ts';
import { handlerInput, readInput } from './handler-input.ts';
import { sessionVariables } from './handler-request.ts';

/**
 * Writes down that the action is to be run, and gives the id of the run. Throws `parse-failed` for an argument that
 * PostgreSQL would not read.
 */
export async function submitAction(call: CallPlan, context: ExecuteContext): Promise<string> {
  const { action } = call;
  const entry = {
    actionName: action.name,
    input: printJson(handlerInput(call, context.variables)),
    headers: printJson(forwardable(action, context.headers, context.settings)),
    session: printJson(sessionVariables(context.session, context.settings)),
  };
  try {
    return await submitEntry(logOf(context).query, entry);
  } catch (error) {
    throw fromPostgres(error, { path: `$.selectionSet.${action.name}`, statement: '' });
  }
}

/** What came of a run so far; null for an id that is unknown or another caller's. */
export async function readActionResult(
  plan: ActionResultPlan,
  context: ExecuteContext,
  onJoin: OnJoin,
): Promise<unknown> {
  const values = [[null], [idOf(plan, context)], [plan.action.name]];
  try {
    const { rows } = await logOf(context).query({ text: readEntriesText, values }, { signal: context.signal });
    return actionResult(plan, rows[0]?.[1] ?? 'null', context, onJoin);
  } catch (error) {
    throw fromPostgres(error, { path: `$.selectionSet.${plan.action.name}`, statement: '' });
  }
}

/** The id that is asked for, as it was given. */
export function idOf({ id }: ActionResultPlan, { variables }: Pick<ExecuteContext, 'variables'>): string {
  return String(readInput(id, variables));
}

/** `entry` is the JSON text of an `EntryRead`. */
export function actionResult(plan: ActionResultPlan, entry: string, context: ExecuteContext, onJoin: OnJoin): unknown {
  const read = parseJson(entry) as EntryRead | null;
  if (read === null || !isOwner(read.session, context)) return null;
  const { output, problem } = outputOf(plan, read, onJoin);
  const errors = problem ?? read.errors;
  const memberValue = (member: ActionResultMember): unknown => {
    switch (member.kind) {
      case 'constant':
        return member.value;
      case 'id':
      case 'createdAt':
        return read[member.kind];
      case 'errors':
        return errors === null ? null : shownErrors(errors, context);
      case 'output':
        return output.get(member) ?? null;
      default:
        return member satisfies never;
    }
  };
  return Object.fromEntries(plan.members.map((member) => [member.alias, memberValue(member)]));
}

type OutputMember = Extract<ActionResultMember, { kind: 'output' }>;

/** Under each name it is asked for. The types may have changed since the handler answered. */
function outputOf(
  plan: ActionResultPlan,
  read: EntryRead,
  onJoin: OnJoin,
): { readonly output: ReadonlyMap<OutputMember, unknown>; readonly problem?: Readonly<Record<string, unknown>> } {
  const output = new Map<OutputMember, unknown>();
  if (read.status !== 'completed') return { output };
  try {
    for (const member of plan.members) {
      if (member.kind === 'output') output.set(member, checkOutput(member.output, read.response, onJoin));
    }
  } catch (error) {
    if (!(error instanceof WrongAnswer)) throw error;
    const message = `the answer of the handler does not fit the output type that the action has now: ${error.message}`;
    return { output: new Map(), problem: { error: message, path: '$', code: 'unexpected' } };
  }
  return { output };
}

function shownErrors({ internal, ...errors }: Readonly<Record<string, unknown>>, context: ExecuteContext): unknown {
  return context.showInternal && internal !== undefined ? { ...errors, internal } : errors;
}

/** They say what a caller may do or how, not who it is. */
const notIdentity: readonly string[] = ['allowed-roles', 'default-role', 'use-backend-only-permissions'];

/**
 * Results are for admins and for those who asked: all session variables are the same, the role among them. Those that
 * only say which roles a caller may take, or how the request is to be treated, may differ.
 */
function isOwner(asked: EntryRead['session'], context: ExecuteContext): boolean {
  const { session, settings } = context;
  if (session.role === ADMIN_ROLE) return true;
  const identity = (variables: Readonly<Record<string, string>>) =>
    Object.entries(variables)
      .filter(([name]) => !notIdentity.some((one) => name === settings.sessionPrefix + one))
      .sort(([one], [other]) => (one < other ? -1 : 1));
  return printJson(identity(asked)) === printJson(identity(sessionVariables(session, settings)));
}

function logOf({ own }: ExecuteContext): Database {
  if (own === undefined)
    throw new ServiceError('not-supported', 'asynchronous actions need the database of the service');
  return own;
}

/** The session of those who asked, as it was then. */
export function sessionOfEntry(text: string, sessionPrefix: string): Session {
  const variables = new Map(Object.entries(parseJson(text) as Readonly<Record<string, string>>));
  return { role: (variables.get(`${sessionPrefix}role`) ?? '') as Session['role'], variables };
}
