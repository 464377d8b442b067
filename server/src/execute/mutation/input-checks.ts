/** Validates the input of mutations by the webhooks of permissions, before anything is written. */
import type { RoleName } from '@joinery/metadata/names';
import { expand } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { type HttpResponse, UpstreamError } from '../../base/http-client/http-client.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import { maskUrls } from '../../base/telemetry/redact.ts';
import { insertAccess } from '../../model/permissions/write-access.ts';
import type { InputCheck } from '../../model/types/column-type.ts';
import type { Relationship, Table } from '../../model/types/table.ts';
import type { MutationPlan } from '../../plan/plan/mutation.ts';
import { handlerHeaders } from '../action/handler/handler-headers.ts';
import { readInput } from '../action/handler/handler-input.ts';
import { sessionVariables } from '../action/handler/handler-request.ts';
import type { ExecuteContext } from '../context/context.ts';

/** One request to a webhook: rows to insert, updates, or the arguments of a delete. */
interface ValidationRequest {
  readonly check: InputCheck;
  readonly input: readonly unknown[];
}

/** Calls the webhooks in the order of the fields. Throws `validation-failed` with the message of the first rejection. */
export async function checkInputs(plans: readonly MutationPlan[], context: ExecuteContext): Promise<void> {
  for (const plan of plans) {
    for (const request of requestsOf(plan, context)) await validate(request, context);
  }
}

/** Whether webhooks may validate the input of the plan. */
export function hasInputCheck(plan: MutationPlan): boolean {
  return plan.kind === 'insert' ? isChecked(plan.table, plan.role) : plan.access.inputCheck !== undefined;
}

function requestsOf(plan: MutationPlan, { variables }: ExecuteContext): readonly ValidationRequest[] {
  switch (plan.kind) {
    case 'insert': {
      const { table, role } = plan;
      if (!isChecked(table, role)) return [];
      const data = readInput(plan.data, variables);
      return requestsOfRows(table, role, Array.isArray(data) ? data : [data]);
    }
    case 'updateMany': {
      const updates = readInput(plan.updates, variables);
      const { inputCheck: check } = plan.access;
      return check === undefined ? [] : [{ check, input: Array.isArray(updates) ? updates : [updates] }];
    }
    case 'update':
    case 'delete': {
      const { inputCheck: check } = plan.access;
      if (check === undefined || plan.checked === undefined) return [];
      return [{ check, input: [readInput(plan.checked, variables)] }];
    }
    default:
      return plan satisfies never;
  }
}

/** Returns the request for the rows, followed by one for the nested rows of each relationship. */
function requestsOfRows(table: Table, role: RoleName, rows: readonly unknown[]): readonly ValidationRequest[] {
  const check = insertAccess(table, role)?.inputCheck;
  const nested = new Map<Relationship, unknown[]>();
  for (const row of rows) {
    for (const [name, value] of Object.entries((row ?? {}) as object)) {
      const relationship = table.relationships.get(name);
      const data: unknown = (value as { readonly data?: unknown } | null)?.data;
      if (relationship === undefined || data === undefined || data === null) continue;
      const known = nested.get(relationship) ?? [];
      nested.set(relationship, known);
      for (const one of Array.isArray(data) ? data : [data]) known.push(one);
    }
  }
  const below = [...nested].flatMap(([{ target }, inside]) => requestsOfRows(target, role, inside));
  return check === undefined || rows.length === 0 ? below : [{ check, input: rows }, ...below];
}

/** Maximum size of a response in bytes. */
const MAX_BYTES = 65_536;

const checked = new WeakMap<Table, Map<RoleName, boolean>>();

/** Whether a webhook validates rows of the table, or rows that can be nested in them. */
function isChecked(table: Table, role: RoleName): boolean {
  const known = checked.get(table) ?? new Map<RoleName, boolean>();
  checked.set(table, known);
  const found = known.get(role) ?? reaches(table, role, new Set());
  known.set(role, found);
  return found;
}

function reaches(table: Table, role: RoleName, seen: Set<Table>): boolean {
  if (seen.has(table)) return false;
  seen.add(table);
  if (insertAccess(table, role)?.inputCheck !== undefined) return true;
  return [...table.relationships.values()].some(({ target }) => reaches(target, role, seen));
}

async function validate({ check, input }: ValidationRequest, context: ExecuteContext): Promise<void> {
  const { session, headers, settings, environment } = context;
  const variables = sessionVariables(session, settings);
  const payload = { version: 1, role: session.role, session_variables: variables, data: { input } };
  const sent = handlerHeaders({ ...check, ignoredClientHeaders: undefined }, headers, settings, environment);
  const response = await context.httpClient
    .call({
      method: 'POST',
      url: expand(check.url, environment),
      headers: sent.map(({ name, value }) => [name, value]),
      body: printJson(payload),
      timeoutMs: check.timeoutMs,
      maxBytes: MAX_BYTES,
      overflow: 'truncate',
      signal: context.signal,
      purpose: { kind: 'input-check', name: '' },
    })
    .catch((error: unknown) => {
      if (!(error instanceof UpstreamError)) throw error;
      const internal = { type: 'http_exception', kind: error.kind, message: error.message, url: maskUrls(check.url) };
      const message = 'the webhook that validates the input did not respond';
      throw new ServiceError('unexpected', message, { cause: error, internal });
    });
  if (response.status === 200) return;
  throw rejection(check, response);
}

/** Status 400 is a rejection of the input. Any other status is a failure of the webhook. */
function rejection({ url }: InputCheck, { status, body }: HttpResponse): ServiceError {
  const internal = { url: maskUrls(url), status, body: body.slice(0, 1_000) };
  if (status === 400) {
    return new ServiceError('validation-failed', messageIn(body) ?? 'the input is not valid', { internal });
  }
  return new ServiceError('unexpected', 'the webhook that validates the input failed', { internal });
}

function messageIn(body: string): string | undefined {
  try {
    const { message } = (parseJson(body) ?? {}) as { readonly message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    // The message is optional.
    return undefined;
  }
}
