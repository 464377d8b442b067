/** One GraphQL request from text to answer, on the model of this moment. */
import type { RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import type { Headers, Session } from '../../auth/session.ts';
import type { Cancellation } from '../../base/cancellation.ts';
import type { Environment } from '../../base/environment.ts';
import { graphqlError, ServiceError, toServiceError } from '../../base/errors.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import { printJson } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { runInSpan, type Span, type Trace } from '../../base/telemetry/trace.ts';
import type { ExecuteContext, ExecuteSettings, ExecutionResult } from '../../execute/context/context.ts';
import { withinSpan } from '../../execute/context/traced.ts';
import { execute } from '../../execute/execute.ts';
import { asList, type ExplainOptions, explainPlan } from '../../execute/explain/explain.ts';
import { Failures } from '../../execute/response/field-errors.ts';
import { withErrors } from '../../execute/response/response.ts';
import type { Model } from '../../model/model.ts';
import { InvalidDocument } from '../../plan/document/validation.ts';
import { type PlannedOperation, planOperation, prepare } from '../../plan/operation.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import { runBatch } from './batch.ts';
import { withMissingFieldHints } from './missing-field-hints.ts';
import { OperationObserver } from './operation-observer.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { Guard } from './request-limits.ts';
import { checkTime, inTime, type RequestTime, startTime } from './time-limit.ts';

export interface GraphQLRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly operationName: string | undefined;
}

export interface GraphQLCaller {
  readonly session: Session;
  /** Of the HTTP request, names in lower case. */
  readonly headers: Headers;
  /** Aborted when the client goes away. */
  readonly signal: Cancellation;
  readonly requestId: string;
  /** May the caller see `internal` in errors? */
  readonly showInternal: boolean;
  /** Where the caller connects from; undefined for a socket whose address is not known any more. */
  readonly address: string | undefined;
  /** A GET must not change anything. */
  readonly queriesOnly: boolean;
  /** What the request is part of, where that is traced. */
  readonly span?: Span | undefined;
}

export interface GraphQLResponse {
  /** For clients that want real status codes. */
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** `list` is that of the reference; `tree` has joins and more, with the plans that are asked for. */
export interface ExplainForm extends ExplainOptions {
  readonly format: 'list' | 'tree';
}

export interface GraphQLHandler {
  /** Never rejects: what fails is an answer with `errors`. */
  answer(request: GraphQLRequest, caller: GraphQLCaller): Promise<GraphQLResponse>;
  /**
   * Runs a batch, see `runBatch`; resolves to the results in the order of the requests. Rejects with
   * `batch-limit-exceeded`, or because the client disconnected before the last operation started.
   */
  answerAll(requests: readonly GraphQLRequest[], caller: GraphQLCaller): Promise<readonly GraphQLResponse[]>;
  /**
   * The statements, calls and upstream requests of the operation as JSON text; the caller must have been found to be
   * admin. What fails is an answer with `errors`.
   */
  explain(request: GraphQLRequest, caller: GraphQLCaller, form: ExplainForm): Promise<GraphQLResponse>;
}

export interface OperationDependencies {
  readonly model: () => Model;
  readonly database: (source: SourceName) => Database;
  /** What queries read, if not the same: replicas of the source. */
  readonly reading?: (source: SourceName) => Database;
  /** The one that holds the schema `joinery`. */
  readonly own?: Database;
  /** A remote schema has refused what it should allow. */
  readonly doubt?: (remote: RemoteSchemaName) => void;
  readonly httpClient: HttpClient;
  readonly environment: Environment;
  readonly settings: ExecuteSettings;
  readonly guard: Guard;
  readonly rates: RateLimiter;
  readonly observe: Observe;
  readonly trace?: Trace;
}

/** A mutation reads what it has written itself, so it stays with the primary. */
export function readingWhere(onlyReads: boolean, parts: OperationDependencies): OperationDependencies {
  return onlyReads && parts.reading ? { ...parts, database: parts.reading } : parts;
}

/** What takes less has no span. */
const SHORTEST_PLAN_MS = 0.5;

export function createGraphQLHandler(parts: OperationDependencies): GraphQLHandler {
  const { guard, rates, observe } = parts;

  async function run(request: GraphQLRequest, caller: GraphQLCaller, behindMutation = false): Promise<GraphQLResponse> {
    const { span } = caller;
    const watch = new OperationObserver(request, caller, parts);
    try {
      const model = parts.model();
      const time = startTime(caller.session.role, model);
      const waiting = rates(caller.session, caller.address, model);
      if (waiting !== undefined) await waiting;
      const operation = planned(request, caller, model, time);
      const { plan, variables } = operation;
      watch.planned(operation);
      span?.set('graphql.operation.type', plan.kind);
      if (plan.name !== undefined) span?.set('graphql.operation.name', plan.name);
      if (plan.kind === 'subscription') throw notOverHttp();
      const where = readingWhere(plan.kind === 'query' && !behindMutation, parts);
      const result = await inTime(time, caller.signal, (signal) =>
        execute(plan, contextOf(request, caller, variables, where, signal)),
      );
      const body = bodyOf(result, caller, observe);
      watch.ended(body.length);
      return { status: 200, body, headers: result.headers };
    } catch (thrown) {
      const refused = refuse(thrown, caller, observe);
      const error = toServiceError(thrown);
      watch.ended(refused.body.length, error);
      span?.set('error.type', error.code);
      return refused;
    }
  }

  /** `behindMutation`: replicas may not have yet what a mutation of the same batch wrote. */
  function answer(request: GraphQLRequest, caller: GraphQLCaller, behindMutation = false): Promise<GraphQLResponse> {
    if (!caller.span?.recorded) return run(request, caller, behindMutation);
    const attributes = { 'joinery.role': caller.session.role };
    const span = caller.span.child('GraphQL', { attributes });
    return runInSpan(span, () => run(request, { ...caller, span }, behindMutation));
  }

  /** A plan that was there already has no span: it would take longer to tell than to find. */
  function planned(
    request: GraphQLRequest,
    caller: GraphQLCaller,
    model: Model,
    time: RequestTime | undefined,
  ): PlannedOperation {
    if (!caller.span?.recorded) return planOf(request, caller, model, guard, time);
    const began = performance.now();
    try {
      return planOf(request, caller, model, guard, time);
    } finally {
      if (performance.now() - began > SHORTEST_PLAN_MS) caller.span.child('plan', { began }).end();
    }
  }

  return {
    answer: (request, caller) => answer(request, caller),
    answerAll: async (requests, caller) => {
      guard.admitBatch(requests.length, caller.session.role, parts.model());
      return runBatch(requests, caller.signal, (request, behindMutation) => answer(request, caller, behindMutation));
    },
    explain: async (request, asker, { format, plan: asked }) => {
      // Only admins get here, whoever they ask for.
      const caller = { ...asker, showInternal: true };
      try {
        const { plan, variables } = planOf(request, caller, parts.model(), guard);
        const context = contextOf(request, caller, variables, parts);
        const steps = await explainPlan(plan, context, { plan: format === 'list' ? 'text' : asked });
        const { kind, name = null } = plan;
        const { role } = caller.session;
        const body = format === 'list' ? asList(steps) : { operation: { kind, name }, role, steps };
        return { status: 200, body: printJson(body), headers: [] };
      } catch (thrown) {
        return refuse(thrown, caller, observe);
      }
    },
  };
}

function notOverHttp(): ServiceError {
  const message = 'subscriptions are not supported over HTTP, use websockets instead';
  return new ServiceError('unexpected-payload', message);
}

/** The operation that is asked for, in the schema of the caller's role. Throws a ServiceError. */
export function planOf(
  request: GraphQLRequest,
  caller: Pick<GraphQLCaller, 'session' | 'queriesOnly' | 'showInternal'>,
  model: Model,
  guard: Guard,
  time?: RequestTime,
): PlannedOperation {
  const { role, backend } = caller.session;
  guard.admitText(request.query);
  const prepared = withMissingFieldHints(model, caller, () =>
    prepare(roleSchema(model, role, backend), request.query, request.operationName),
  );
  guard.admit(prepared, request.query, role, model);
  if (caller.queriesOnly && prepared.kind !== 'query') {
    throw new ServiceError('method-not-allowed', 'a GET request runs queries only; send mutations with POST');
  }
  const maxRows = guard.maxRows(role, model);
  const check = time && (() => checkTime(time));
  check?.();
  const checks = { limits: guard.inputs, checkTime: check };
  return withMissingFieldHints(model, caller, () => planOperation(prepared, request.variables, maxRows, checks));
}

/** What the run of the caller's operation may use; it ends with `signal`. */
export function contextOf(
  request: GraphQLRequest,
  caller: GraphQLCaller,
  variables: Readonly<Record<string, unknown>>,
  { database, own, doubt, httpClient, environment, settings, observe }: Omit<OperationDependencies, 'model'>,
  signal = caller.signal,
): ExecuteContext {
  const { session, headers } = caller;
  const context = {
    session,
    headers,
    query: request.query,
    variables,
    database,
    own,
    showInternal: caller.showInternal,
    doubt,
    httpClient,
    environment,
    settings,
    observe,
    signal,
    failures: new Failures(),
  };
  return withinSpan(context, caller.span);
}

/** The body with the errors that stand beside its data, as far as the caller may see them. */
export function bodyOf(
  { body, errors }: Pick<ExecutionResult, 'body' | 'errors'>,
  { requestId, showInternal, session }: Pick<GraphQLCaller, 'requestId' | 'showInternal' | 'session'>,
  observe: Observe,
): string {
  for (const error of new Set(errors.map((one) => one.error)))
    observe({ kind: 'refused', requestId, role: session.role, error });
  return withErrors(body, errors, (error) => graphqlError(error, showInternal));
}

function refuse(thrown: unknown, caller: GraphQLCaller, observe: Observe): GraphQLResponse {
  const errors = errorsOf(thrown, caller, observe);
  return { status: toServiceError(thrown).status, body: printJson({ errors }), headers: [] };
}

/** The `errors` of an answer, as far as the caller may see them; told to the log in full. */
export function errorsOf(
  thrown: unknown,
  caller: GraphQLCaller,
  observe: Observe,
): readonly Readonly<Record<string, unknown>>[] {
  const error = toServiceError(thrown);
  observe({ kind: 'refused', requestId: caller.requestId, role: caller.session.role, error });
  const errors = thrown instanceof InvalidDocument ? thrown.errors : [error];
  return errors.map((one) => graphqlError(one, caller.showInternal));
}
