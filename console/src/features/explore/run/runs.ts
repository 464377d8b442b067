/** The runs of operations, one for each tab of the explorer. Pure. */
import type { SentResponse } from '../../../api/client.ts';
import type { Failure } from '../../../api/failure.ts';
import type { ExplainedStep, Headers } from '../../../shared/graphql/graphql-api.ts';
import type { NamedOperation } from '../../../shared/graphql/operation-draft.ts';

export interface Received {
  /** Starts at 1. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly response: unknown;
}

export interface RunPlan {
  readonly steps: readonly ExplainedStep[] | undefined;
  readonly failure: Failure | undefined;
}

export interface Run {
  /** Distinguishes the run from former ones of the same tab. */
  readonly number: number;
  readonly kind: NamedOperation['kind'] | undefined;
  readonly state: 'running' | 'ended' | 'canceled';
  /** The headers of the request, without the secret of the sign-in. */
  readonly sent: Headers;
  readonly response: SentResponse | undefined;
  readonly failure: Failure | undefined;
  /** Undefined until it is read, and where none is requested. */
  readonly plan: RunPlan | undefined;
  /** Number of results of a subscription since its start. */
  readonly received: number;
  /** Results of a subscription that are kept, the latest first. */
  readonly results: readonly Received[];
}

/** Runs by the id of their tab. */
export type Runs = Readonly<Record<string, Run>>;

/** Maximum number of results of a subscription. */
const MAX_RESULTS = 50;

export type RunStatus = 'ok' | 'errors' | 'failed' | 'canceled';

/** Changes a run. The changes of a former run of the tab are ignored. */
export function changedRun(runs: Runs, tab: string, number: number, change: (run: Run) => Run): Runs {
  const run = runs[tab];
  return run === undefined || run.number !== number ? runs : { ...runs, [tab]: change(run) };
}

export function withResult(run: Run, response: unknown, at: number): Run {
  const number = run.received + 1;
  return { ...run, received: number, results: [{ number, at, response }, ...run.results].slice(0, MAX_RESULTS) };
}

/** Returns the status of a run that ended. */
export function statusOf({ state, failure, response, results }: Run): RunStatus {
  if (failure !== undefined) return 'failed';
  const body = response?.body ?? results[0]?.response;
  if (body === undefined) return state === 'canceled' ? 'canceled' : 'ok';
  if (response !== undefined && response.status >= 400) return 'failed';
  return errorsIn(body).length > 0 ? 'errors' : 'ok';
}

/** The members of a GraphQL error that the explorer shows. */
export interface ShownError {
  readonly message: string;
  readonly code: string | undefined;
  readonly path: string | undefined;
  /** Why a field is missing for the role. */
  readonly hint: string | undefined;
}

export function errorsIn(body: unknown): readonly ShownError[] {
  const { errors } = recordOf(body);
  if (!Array.isArray(errors)) return [];
  return errors.map((error) => {
    const { message, path, extensions } = recordOf(error);
    const { code, path: requestPath, hint } = recordOf(extensions);
    const place = Array.isArray(path) ? path.join('.') : requestPath;
    return { message: textOf(message) ?? 'Unknown error', code: textOf(code), path: textOf(place), hint: textOf(hint) };
  });
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
