/** Runs an asynchronous action once: calls its handler with the session of the request and decides the outcome. */
import { type ServiceError, toServiceError } from '../../base/errors.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import { TemplateError } from '../../base/templates/transform.ts';
import { readRetryAfter } from '../../events/delivery/retry-policy.ts';
import type { ClaimedEntry, EntryOutcome } from '../../execute/action/action-log.ts';
import { sessionOfEntry } from '../../execute/action/action-result.ts';
import { checkOutput, OutputMismatch } from '../../execute/action/check-output.ts';
import { callHandler, type HandlerTools } from '../../execute/action/handler/handler-call.ts';
import { namedIn } from '../../model/actions/type-expression.ts';
import type { Action } from '../../model/types/action.ts';
import type { OutputPlan } from '../../plan/plan/query.ts';
import { CallRecorder } from './call-log.ts';

/**
 * Calls the handler once. Resolves to undefined if the signal of `tools` aborted the call or `mayStart` prevented it.
 */
export async function runEntry(
  action: Action,
  entry: ClaimedEntry,
  tools: HandlerTools & { readonly mayStart: () => boolean },
): Promise<EntryOutcome | undefined> {
  let denied = false;
  const mayStart = (): boolean => {
    denied = !tools.mayStart();
    return !denied;
  };
  const recorder = new CallRecorder(action, tools.environment);
  const call = (error?: Error): Pick<EntryOutcome, 'call'> => ({ call: recorder.logged(entry.tries + 1, error) });
  try {
    const result = await callHandler(
      {
        action,
        input: parseJson(entry.input) as Readonly<Record<string, unknown>>,
        session: sessionOfEntry(entry.session, tools.settings.sessionPrefix),
        headers: parseJson(entry.headers) as Readonly<Record<string, string>>,
        query: null,
      },
      { ...tools, httpClient: recorder.client(tools.httpClient), mayStart },
    );
    try {
      checkOutput(wholeOutput(action), result.value, () => undefined);
    } catch (error) {
      throw error instanceof OutputMismatch ? result.mismatch(error) : error;
    }
    return { kind: 'completed', response: printJson(result.value), ...call() };
  } catch (thrown) {
    if (denied || tools.signal?.aborted) return undefined;
    const error = toServiceError(thrown);
    return { ...afterFailure(action, entry, error), ...call(error) };
  }
}

const wholes = new WeakMap<Action, OutputPlan>();

/** Returns a plan that checks the whole output, because there is no selection. */
function wholeOutput(action: Action): OutputPlan {
  const type = action.output;
  const known = wholes.get(action) ?? { type, fields: namedIn(type).kind === 'object' ? [] : undefined };
  wholes.set(action, known);
  return known;
}

/** Longest delay that a handler may request by `Retry-After`. */
const LONGEST_WAIT_MS = 3_600_000;

function afterFailure(action: Action, entry: ClaimedEntry, error: ServiceError): EntryOutcome {
  const { retries = 0, intervalMs = 0 } = action.asynchronous ?? {};
  const result = responseOf(error);
  // A request transform that fails does so again.
  const isPermanent = result === undefined ? error.cause instanceof TemplateError : !isTemporary(result);
  if (entry.tries >= retries || isPermanent) return { kind: 'error', errors: printJson(errorsOf(error)) };
  const requested = result?.retryAfter === undefined ? undefined : readRetryAfter(result.retryAfter, Date.now());
  return { kind: 'retry', inMs: Math.min(requested ?? intervalMs, Math.max(LONGEST_WAIT_MS, intervalMs)) };
}

/** Whether the status indicates a temporary failure. */
function isTemporary(result: HandlerStatus): boolean {
  return result.status >= 500 || result.status === 429 || result.status === 408;
}

interface HandlerStatus {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Returns the handler's response from the `internal` member of the error. */
function responseOf({ internal }: ServiceError): HandlerStatus | undefined {
  const { response } = (internal ?? {}) as { readonly response?: ShownResponse | null };
  if (response === undefined || response === null) return undefined;
  const retryAfter = response.headers.find(({ name }) => name.toLowerCase() === 'retry-after')?.value;
  return { status: response.status, retryAfter };
}

interface ShownResponse {
  readonly status: number;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** Returns the stored error. `internal` is shown only to callers that may see it. */
function errorsOf(error: ServiceError): Readonly<Record<string, unknown>> {
  const { message, path, extensions, internal } = error;
  const own = typeof extensions?.code === 'string' ? extensions.code : undefined;
  return {
    error: message,
    path,
    code: error.foreignCode ?? own ?? error.code,
    ...(extensions && { extensions }),
    ...(internal !== undefined && { internal }),
  };
}
