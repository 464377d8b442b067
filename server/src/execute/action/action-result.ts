/** The root fields of asynchronous actions: submit an action, and read its result by id. */

import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { Session } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import type { ActionResultMember, ActionResultPlan, CallPlan } from '../../plan/plan/action.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import type { ExecuteContext } from '../context/context.ts';
import { type EntryRead, readEntries, submitEntry } from './action-log.ts';
import { checkOutput, type OnJoin, OutputMismatch } from './check-output.ts';
import { forwardable } from './handler/handler-headers.ts';
import { handlerInput, readInput } from './handler/handler-input.ts';
import { sessionVariables } from './handler/handler-request.ts';

/**
 * Adds the action to the log and returns the id of its entry. Throws `parse-failed` for an argument that is invalid for
 * PostgreSQL.
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

/** Returns the current result; null for an unknown id, or an entry of another caller. */
export async function readActionResult(
  plan: ActionResultPlan,
  context: ExecuteContext,
  onJoin: OnJoin,
): Promise<unknown> {
  const inputs = { known: [null], ids: [idOf(plan, context)], names: [plan.action.name] };
  try {
    const row = await readEntries.row((run) => logOf(context).query(run, { signal: context.signal }), inputs);
    return actionResult(plan, row?.entry ?? 'null', context, onJoin);
  } catch (error) {
    throw fromPostgres(error, { path: `$.selectionSet.${plan.action.name}`, statement: '' });
  }
}

/** Returns the requested id. */
export function idOf({ id }: ActionResultPlan, { variables }: Pick<ExecuteContext, 'variables'>): string {
  return String(readInput(id, variables));
}

/** Returns the selected fields of an entry. `entry` is the JSON text of an `EntryRead`. */
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

/** Checks the output for each selected `output`. The types may have changed since the response of the handler. */
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
    if (!(error instanceof OutputMismatch)) throw error;
    const message = `the response of the handler does not match the current output type of the action: ${error.message}`;
    return { output: new Map(), problem: { error: message, path: '$', code: 'unexpected' } };
  }
  return { output };
}

function shownErrors({ internal, ...errors }: Readonly<Record<string, unknown>>, context: ExecuteContext): unknown {
  return context.showInternal && internal !== undefined ? { ...errors, internal } : errors;
}

/** Session variables that do not identify a caller. */
const notIdentity: readonly string[] = ['allowed-roles', 'default-role', 'use-backend-only-permissions'];

/**
 * Whether the caller may read the entry: admins, and callers with the same session variables as the submitter, including
 * the role. Variables that list the allowed roles or control the processing may differ.
 */
function isOwner(submitted: EntryRead['session'], context: ExecuteContext): boolean {
  const { session, settings } = context;
  if (session.role === ADMIN_ROLE) return true;
  const identity = (variables: Readonly<Record<string, string>>) =>
    Object.entries(variables)
      .filter(([name]) => !notIdentity.some((one) => name === settings.sessionPrefix + one))
      .sort(([one], [other]) => (one < other ? -1 : 1));
  return printJson(identity(submitted)) === printJson(identity(sessionVariables(session, settings)));
}

function logOf({ own }: ExecuteContext): Database {
  if (own === undefined)
    throw new ServiceError('not-supported', 'asynchronous actions need the database of the service');
  return own;
}

/** Returns the session of the submitter. */
export function sessionOfEntry(text: string, sessionPrefix: string): Session {
  const variables = new Map(Object.entries(parseJson(text) as Readonly<Record<string, string>>));
  return { role: (variables.get(`${sessionPrefix}role`) ?? '') as Session['role'], variables };
}
